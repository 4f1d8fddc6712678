"""Compares samples of narscope with those of the reference, bit for bit.

Prints a row per algorithm and `N/32 equal`; exits with 1 if anything differs.
"""

import argparse
import itertools
import multiprocessing
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cases import ALL, Case, parity_cases


@dataclass
class Row:
    """Result of one algorithm."""

    algorithm: str
    cases: int = 0
    samples: int = 0
    values: int = 0
    difference: str | None = None


def command(narscope: str, case: Case, file: Path) -> list[str]:
    """Returns the command line of a case."""

    def flag(name: str, value) -> str:
        value = ",".join(map(repr, value)) if isinstance(value, list) else repr(value)
        return f"--{name.replace('_', '-')}={value}"  # with `=`, because values may be negative

    arguments = {"length": case.length, "num": case.num, "seed": case.seed} | case.options
    flags = itertools.starmap(flag, arguments.items())
    return [narscope, "sample", case.algorithm, *flags, f"--out={file}", "--force"]


def compare_algorithm(job: tuple[str, str, bool]) -> Row:
    """Runs the cases of an algorithm until one differs."""
    narscope, algorithm, quick = job
    row = Row(algorithm)
    with tempfile.TemporaryDirectory(prefix="narscope-parity-") as folder:
        for case in parity_cases(algorithm, quick):
            values, difference = compare(narscope, case, Path(folder) / "samples.npz")
            row.cases += 1
            row.samples += case.num
            row.values += values
            if difference:
                options = "".join(f" {name}={value}" for name, value in case.options.items())
                where = f"length={case.length} num={case.num} seed={case.seed}{options}"
                row.difference = f"{where}: {difference}"
                break
    return row


def in_order_of_reference(key: str, array):
    """Returns the array with the step as the first axis of hints, where narscope has the sample."""
    return array.swapaxes(0, 1) if key.startswith("hint/") else array


def compare(narscope: str, case: Case, file: Path) -> tuple[int, str | None]:
    """Returns the number of compared values, and the first difference."""
    # Imported here, because the parent must fork before TensorFlow starts its threads.
    from reference import arrays, build, np

    result = subprocess.run(command(narscope, case, file), capture_output=True, text=True)
    if result.returncode != 0:
        message = result.stderr.strip().splitlines()
        return 0, f"narscope failed: {message[-1] if message else result.returncode}"

    sampler, _ = build(case)
    feedback = sampler.next()
    # Lengths are integers in files of narscope, floats in the reference.
    expected = arrays(feedback) | {"lengths": feedback.features.lengths.astype(np.int64)}
    with np.load(file) as written:
        arrays_of_file = ((key, written[key]) for key in written if key != "metadata")
        found = {key: in_order_of_reference(key, array) for key, array in arrays_of_file}
    if difference := sorted(expected.keys() ^ found.keys()):
        missing, extra = (expected.keys() & difference), (found.keys() & difference)
        return 0, f"missing {sorted(missing)}, not in the reference {sorted(extra)}"
    values = 0
    for key, theirs in expected.items():
        ours = found[key]
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            sides = [f"{array.dtype}{list(array.shape)}" for array in (theirs, ours)]
            return values, f"{key}: reference {sides[0]}, narscope {sides[1]}"
        # Compare bits, because -0.0 == 0.0.
        bits = [np.ascontiguousarray(array).view(np.uint64) for array in (theirs, ours)]
        indices = np.argwhere(bits[0] != bits[1])
        if len(indices):
            index = tuple(indices[0].tolist())
            return values, (
                f"{key}{list(index)}: reference {theirs[index]}, narscope {ours[index]}"
                f" ({len(indices)} of {theirs.size} values differ)"
            )
        values += theirs.size
    return values, None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--narscope", required=True, help="path of the narscope program")
    parser.add_argument("--quick", action="store_true", help="fewer seeds and samples")
    parser.add_argument("--algorithms", default=",".join(ALL), help="a,b,c (default: all)")
    arguments = parser.parse_args()
    algorithms = arguments.algorithms.split(",")
    if unknown := [name for name in algorithms if name not in ALL]:
        parser.error(f"unknown algorithms: {', '.join(unknown)}")

    print(
        "In cases with truncate_decimals, the reference runs with a stable np.argsort:"
        " the default order of ties depends on the CPU."
    )
    print(f"{'algorithm':29} {'cases':>5} {'samples':>7} {'values':>13}  difference", flush=True)
    equal = 0
    jobs = [(arguments.narscope, name, arguments.quick) for name in algorithms]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for row in pool.imap(compare_algorithm, jobs):
            equal += row.difference is None
            print(
                f"{row.algorithm:29} {row.cases:5} {row.samples:7} {row.values:13,}"
                f"  {row.difference or '-'}",
                flush=True,
            )
    print(f"{equal}/{len(jobs)} equal")
    sys.exit(0 if equal == len(jobs) else 1)


if __name__ == "__main__":
    main()
