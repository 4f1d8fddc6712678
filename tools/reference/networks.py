"""Asks dm-clrs what networks compute, compares narscope with it, and writes fixtures.

    networks.py answer  FOLDER              ask, and keep the answers in FOLDER/CASE
    networks.py compare FOLDER --narscope N run `narscope import` and `predict` on answers, compare
    networks.py parity  FOLDER --narscope N both, for cases that are not answered yet
    networks.py fixtures FOLDER --out OUT   answers for small cases, then the fixtures of the Rust tests
"""

import argparse
import sys
from pathlib import Path

from cases import CLRS_30
from network_answers import answered, is_answered
from network_cases import NetworkCase, fixture_cases, parity_cases


# What runs networks in narscope; both are to answer the same.
KERNELS = ("fused", "generic")


def ask(cases: list[NetworkCase], folder: Path, processes: int) -> int:
    """Asks what has not been asked before. The number of cases that the reference failed on."""
    failures = 0
    for count, (case, problem) in enumerate(answered(cases, folder, processes), start=1):
        failures += problem is not None
        print(f"{count:3}/{len(cases)} {case.name:45} {problem or 'answered'}", flush=True)
    return failures


def compare_all(cases: list[NetworkCase], folder: Path, narscope: str) -> int:
    """Prints a line per case. The number of cases that differ."""
    from network_compare import AS_FAR, MOVED, PREDICTIONS, UPDATED, Narscope, Result
    from network_compare import ask as ask_narscope

    print(
        f"Predictions, hidden states and losses within {PREDICTIONS} x max(1, |reference|);"
        f" parameters after one step within {UPDATED}, unless rounding decides where they go."
        f" Cases marked ~ are further off, but within {AS_FAR} x what moving our weights by {MOVED} does."
    )
    print(f"{'case':45} {'kernels':7} {'values':>9} {'faint':>6} {'worst':>8}  where", flush=True)
    equal = moved = 0
    for case in cases:
        answers, ours = folder / case.name, folder / case.name / "narscope"
        for kernels in KERNELS:
            if is_answered(case, answers):
                result = ask_narscope(Narscope(narscope, kernels), case, answers, ours)
            else:
                result = Result(problems=["not answered: run `networks.py answer` first"])
            equal += not result.problems
            moved += result.moved and not result.problems
            line = f"{result.values:9,} {result.faint:6} {result.worst:8.1%}  {result.where}"
            print(f"{case.name:45} {kernels:7} {line}{' ~' if result.moved else ''}", flush=True)
            for problem in result.problems:
                print(f"    {problem}", flush=True)
    asked = len(KERNELS) * len(cases)
    print(f"{equal}/{asked} equal, {moved} of them ~ (worst: 100 % is the most that is allowed)")
    return asked - equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=("answer", "compare", "parity", "fixtures"))
    parser.add_argument("folder", type=Path, help="where answers are kept")
    parser.add_argument("--narscope", help="the command to compare")
    parser.add_argument("--out", type=Path, help="where fixtures go")
    parser.add_argument("--quick", action="store_true", help="fewer cases")
    parser.add_argument("--algorithms", help="only cases on batches of a,b,c")
    parser.add_argument("--processes", type=int, default=2, help="that ask the reference")
    arguments = parser.parse_args()

    if arguments.mode == "fixtures":
        if not arguments.out:
            parser.error("fixtures needs --out")
        from network_fixtures import write_fixtures

        cases = [case for _, case in fixture_cases()]
        failures = ask(cases, arguments.folder, arguments.processes)
        if not failures:
            write_fixtures(arguments.folder, arguments.out)
        sys.exit(1 if failures else 0)

    cases = list(parity_cases(arguments.quick))
    if arguments.algorithms:
        wanted = arguments.algorithms.split(",")
        if unknown := [name for name in wanted if name not in CLRS_30]:
            parser.error(f"unknown algorithms: {', '.join(unknown)}")
        cases = [case for case in cases if case.algorithm in wanted]
    failures = 0
    if arguments.mode in ("answer", "parity"):
        failures += ask(cases, arguments.folder, arguments.processes)
    if arguments.mode in ("compare", "parity"):
        if not arguments.narscope:
            parser.error(f"{arguments.mode} needs --narscope")
        failures += compare_all(cases, arguments.folder, arguments.narscope)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
