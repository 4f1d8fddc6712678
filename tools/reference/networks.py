"""Compares networks of narscope with dm-clrs, and writes fixtures.

    networks.py answer  FOLDER              run dm-clrs, cache its results in FOLDER/CASE
    networks.py compare FOLDER --narscope N run `narscope import` and `predict`, compare with the cache
    networks.py parity  FOLDER --narscope N both; dm-clrs runs only on cases that are not cached
    networks.py fixtures FOLDER --out OUT   run dm-clrs on small cases, write fixtures of the Rust tests
"""

import argparse
import sys
from pathlib import Path

from cases import CLRS_30
from network_cache import ensure_cached, is_cached
from network_cases import NetworkCase, fixture_cases, parity_cases


# The kernels of narscope. Both must agree with the reference.
KERNELS = ("fused", "generic")


def compute_missing(cases: list[NetworkCase], folder: Path, processes: int) -> int:
    """Runs the reference on cases that are not cached. Returns the number of failures."""
    failures = 0
    for count, (case, problem) in enumerate(ensure_cached(cases, folder, processes), start=1):
        failures += problem is not None
        print(f"{count:3}/{len(cases)} {case.name:45} {problem or 'cached'}", flush=True)
    return failures


def compare_all(cases: list[NetworkCase], folder: Path, narscope: str) -> int:
    """Compares all cases and prints a line for each. Returns the number of differing ones."""
    from network_compare import PERTURBATION, PERTURBATION_FACTOR, PREDICTIONS, UPDATED
    from network_compare import Narscope, Result, compare_case

    print(
        f"Tolerance: {PREDICTIONS} x max(1, |reference|) for predictions, hidden states and losses;"
        f" {UPDATED} for parameters after one step, unless rounding decides the sign of the step."
        f" Cases marked ~ differ by more, but by at most {PERTURBATION_FACTOR} x the effect of"
        f" perturbing our weights by {PERTURBATION}."
    )
    print(f"{'case':45} {'kernels':7} {'values':>9} {'faint':>6} {'worst':>8}  where", flush=True)
    equal = perturbed = 0
    for case in cases:
        cached, ours = folder / case.name, folder / case.name / "narscope"
        for kernels in KERNELS:
            if is_cached(case, cached):
                result = compare_case(Narscope(narscope, kernels), case, cached, ours)
            else:
                result = Result(problems=["no cached results: run `networks.py answer` first"])
            equal += not result.problems
            perturbed += result.perturbed and not result.problems
            line = f"{result.values:9,} {result.faint:6} {result.worst:8.1%}  {result.where}"
            print(f"{case.name:45} {kernels:7} {line}{' ~' if result.perturbed else ''}", flush=True)
            for problem in result.problems:
                print(f"    {problem}", flush=True)
    total = len(KERNELS) * len(cases)
    print(f"{equal}/{total} equal, {perturbed} of them ~ (worst: 100 % is the tolerance)")
    return total - equal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=("answer", "compare", "parity", "fixtures"))
    parser.add_argument("folder", type=Path, help="cache of the reference's results")
    parser.add_argument("--narscope", help="path of the narscope program")
    parser.add_argument("--out", type=Path, help="folder of the fixtures")
    parser.add_argument("--quick", action="store_true", help="fewer cases")
    parser.add_argument("--algorithms", help="only cases of these algorithms")
    parser.add_argument("--processes", type=int, default=2, help="processes that run the reference")
    arguments = parser.parse_args()

    if arguments.mode == "fixtures":
        if not arguments.out:
            parser.error("fixtures needs --out")
        from network_fixtures import write_fixtures

        cases = [case for _, case in fixture_cases()]
        failures = compute_missing(cases, arguments.folder, arguments.processes)
        if not failures:
            write_fixtures(arguments.folder, arguments.out)
        sys.exit(1 if failures else 0)

    cases = list(parity_cases(arguments.quick))
    if arguments.algorithms:
        selected = arguments.algorithms.split(",")
        if unknown := [name for name in selected if name not in CLRS_30]:
            parser.error(f"unknown algorithms: {', '.join(unknown)}")
        cases = [case for case in cases if case.algorithm in selected]
    failures = 0
    if arguments.mode in ("answer", "parity"):
        failures += compute_missing(cases, arguments.folder, arguments.processes)
    if arguments.mode in ("compare", "parity"):
        if not arguments.narscope:
            parser.error(f"{arguments.mode} needs --narscope")
        failures += compare_all(cases, arguments.folder, arguments.narscope)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
