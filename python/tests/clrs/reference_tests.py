"""Runs the tests that dm-clrs ships, with narscope.clrs in place of its modules.

The tests are taken from its wheel on PyPI when they are run; none of them are copied into this repository. Every test
passes or is listed in ``reference_exceptions.json`` with the reason why it cannot apply. A listed test that passes, or
that does not exist, is an error, too: the list stays true.

    python python/tests/clrs/reference_tests.py --wheels target/wheels
"""

import argparse
import fnmatch
import importlib
import json
import random
import subprocess
import sys
import tempfile
import types
import zipfile
from pathlib import Path

import numpy as np
import pytest

REFERENCE = "dm-clrs==2.0.3"
EXCEPTIONS = Path(__file__).with_name("reference_exceptions.json")

# Modules of dm-clrs, and those that take their place.
SUBSTITUTES = {
    "clrs": "narscope.clrs",
    "clrs._src.algorithms": "narscope.clrs.algorithms",
    "clrs._src.baselines": "narscope.clrs.models",
    "clrs._src.clrs_text": "narscope.clrs.clrs_text",
    "clrs._src.clrs_text.clrs_utils": "narscope.clrs.clrs_text.clrs_utils",
    "clrs._src.clrs_text.huggingface_generators": "narscope.clrs.clrs_text.huggingface_generators",
    "clrs._src.dataset": "narscope.clrs.dataset",
    "clrs._src.decoders": "narscope.clrs.decoders",
    "clrs._src.evaluation": "narscope.clrs.evaluation",
    "clrs._src.losses": "narscope.clrs.losses",
    "clrs._src.probing": "narscope.clrs.probing",
    "clrs._src.processors": "narscope.clrs.processors",
    "clrs._src.samplers": "narscope.clrs.samplers",
    "clrs._src.specs": "narscope.clrs.specs",
} | {
    f"clrs._src.algorithms.{name}": f"narscope.clrs.algorithms.{name}"
    for name in (
        "divide_and_conquer",
        "dynamic_programming",
        "geometry",
        "graphs",
        "greedy",
        "searching",
        "sorting",
        "strings",
    )
}


def substitute() -> None:
    """Makes ``import clrs`` and everything below it find our modules; some helpers are in another one of them."""
    source = types.ModuleType("clrs._src")
    source.__path__ = []
    sys.modules["clrs._src"] = source
    for theirs, ours in SUBSTITUTES.items():
        sys.modules[theirs] = importlib.import_module(ours)
        if theirs.startswith("clrs._src."):
            parent, _, name = theirs.rpartition(".")
            setattr(sys.modules[parent], name, sys.modules[theirs])
    sys.modules["clrs"]._src = source
    samplers, own_samplers = map(importlib.import_module, ("narscope.clrs.samplers", "narscope.clrs.own_samplers"))
    for name in ("_batch_hints", "_batch_io", "_is_float_array"):
        setattr(samplers, name, getattr(own_samplers, name))


def wheel(folder: Path) -> Path:
    """The wheel of dm-clrs, downloaded on first use."""
    name = f"dm_clrs-{REFERENCE.partition('==')[2]}-*.whl"
    if not list(folder.glob(name)):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), REFERENCE]
        subprocess.run(command, check=True)
    return next(folder.glob(name))


def extract_tests(archive: Path, folder: Path) -> list[Path]:
    """Writes the test files of a wheel into a folder and returns them."""
    tests = []
    with zipfile.ZipFile(archive) as files:
        for name in sorted(files.namelist()):
            if name.endswith("_test.py"):
                tests.append(folder / Path(name).name)
                tests[-1].write_bytes(files.read(name))
    return tests


class Outcomes:
    """A plugin of pytest that seeds every test and keeps its outcome."""

    def __init__(self) -> None:
        self.by_test: dict[str, str] = {}

    def pytest_runtest_setup(self) -> None:
        """Fixes what the tests draw: one of them fails, for dm-clrs too, if its random array starts with 0."""
        random.seed(0)
        np.random.seed(0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps the worst of set-up, call and tear-down."""
        test = report.nodeid.split("/")[-1]
        if report.failed or (report.when == "call" and self.by_test.get(test) != "failed"):
            self.by_test[test] = report.outcome

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be imported counts as one failed test."""
        if report.failed:
            self.by_test[report.nodeid.split("/")[-1]] = "failed"


def judge(outcomes: dict[str, str], exceptions: dict[str, str]) -> list[str]:
    """What is wrong: a sentence per unexpected outcome."""
    problems = []
    used = set()
    for test, outcome in outcomes.items():
        listed = [pattern for pattern in exceptions if fnmatch.fnmatchcase(test, pattern)]
        used.update(listed)
        if outcome != "passed" and not listed:
            problems.append(f"{test} {outcome} and is not in {EXCEPTIONS.name}")
        if outcome == "passed" and listed:
            problems.append(f"{test} passes, but {EXCEPTIONS.name} lists it as {listed[0]}")
    problems += [f"{EXCEPTIONS.name} lists {pattern}, which is no test" for pattern in exceptions if pattern not in used]
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheels", type=Path, required=True, help="folder where the wheel of dm-clrs is kept")
    parser.add_argument("--files", default="*", help="only test files whose names match, for example samplers_test*")
    arguments = parser.parse_args()

    substitute()
    outcomes = Outcomes()
    with tempfile.TemporaryDirectory(prefix="narscope-reference-tests-") as folder:
        tests = extract_tests(wheel(arguments.wheels), Path(folder))
        tests = [str(test) for test in tests if fnmatch.fnmatch(test.name, arguments.files)]
        options = ["--quiet", "--no-header", "--tb=short", "-p", "no:cacheprovider", "--rootdir", folder]
        options.append("--continue-on-collection-errors")
        pytest.main([*options, *tests], plugins=[outcomes])
    exceptions = {
        pattern: reason
        for reason, patterns in json.loads(EXCEPTIONS.read_text(encoding="utf-8")).items()
        for pattern in patterns
        if fnmatch.fnmatch(pattern.partition("::")[0], arguments.files)
    }
    problems = judge(outcomes.by_test, exceptions)
    passed = sum(outcome == "passed" for outcome in outcomes.by_test.values())
    print(f"\n{passed} of {len(outcomes.by_test)} tests of {REFERENCE} pass; the others cannot apply:")
    for reason, patterns in json.loads(EXCEPTIONS.read_text(encoding="utf-8")).items():
        print(f"- {reason}: {', '.join(patterns)}")
    for problem in problems:
        print(f"error: {problem}")
    sys.exit(1 if problems or not passed else 0)


if __name__ == "__main__":
    main()
