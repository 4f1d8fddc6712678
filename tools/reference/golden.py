"""Writes the golden files of the Rust tests: results of dm-clrs, as digests to keep them small.

Usage: golden.py OUT_DIR
"""

import hashlib
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cases import ALL, Case, Options, golden_cases
from reference import arrays, build, clrs, np

Record = dict[str, Any]


def digest(*parts: np.ndarray) -> str:
    """Returns the first 16 hex digits of the SHA-256 of the values as little-endian float64, C order."""
    sha = hashlib.sha256()
    for part in parts:
        sha.update(np.ascontiguousarray(part, dtype="<f8").tobytes())
    return sha.hexdigest()[:16]


def to_ints(values: np.ndarray) -> list:
    """Converts an array of integral floats to (nested) lists of ints."""
    return values.astype(int).tolist()


def samples() -> Iterator[Record]:
    """All algorithms. Hints are digested sample by sample, without their padding."""
    for case in itertools.chain.from_iterable(map(golden_cases, ALL)):
        sampler, _ = build(case)
        feedback = sampler.next()
        lengths = to_ints(feedback.features.lengths)
        digests = {
            key: digest(*(array[:steps, i] for i, steps in enumerate(lengths)))
            if key.startswith("hint/")
            else digest(array)
            for key, array in arrays(feedback).items()
        }
        yield asdict(case) | {"lengths": lengths, "digests": digests}


BATCHED: list[tuple[str, int, Options]] = [
    ("insertion_sort", 5, {}),
    ("heapsort", 5, {}),
    ("quickselect", 8, {}),
    ("bfs", 7, {"p": [0.1, 0.5]}),
    ("mst_kruskal", 5, {}),
    ("kmp_matcher", 10, {"length_needle": -3}),
    ("segments_intersect", 4, {}),
]


def batches() -> Iterator[Record]:
    """Batches of 4: three from a fixed set, and two new ones with and without `track_max_steps`."""
    modes = [(10, True, 3), (-1, True, 2), (-1, False, 2)]
    jobs = [
        (Case(algorithm, length, num, seed=5, options=options), track, count)
        for (algorithm, length, options), (num, track, count) in itertools.product(BATCHED, modes)
    ]
    # The second batch has a sample with more steps than all earlier ones, so the padding grows.
    jobs.append((Case("bfs", 7, -1, seed=355, options={"p": [0.1, 0.5]}), True, 3))
    for case, track, count in jobs:
        sampler, _ = build(case, track_max_steps=track)
        drawn = [sampler.next(4) for _ in range(count)]
        yield asdict(case) | {
            "track_max_steps": track,
            "batch": 4,
            "batches": [
                {
                    "lengths": to_ints(feedback.features.lengths),
                    "steps": len(feedback.features.hints[0].data),
                    "digests": {key: digest(array) for key, array in arrays(feedback).items()},
                }
                for feedback in drawn
            ],
        }


# Algorithm, length, and whether the reference's run script converts its `pred_h` hint to an input.
CONVERTED: list[tuple[str, int, bool]] = [
    ("insertion_sort", 6, False),
    ("quicksort", 16, False),
    ("quickselect", 6, False),
    ("minimum", 6, True),
    ("kmp_matcher", 11, True),
    ("lcs_length", 9, True),
    ("jarvis_march", 6, True),
    ("dijkstra", 6, False),
]


def conversions() -> Iterator[Record]:
    """Conversions between sampler and model: each one alone, then all in the run script's order."""
    for algorithm, length, static_pred in CONVERTED:
        case = Case(algorithm, length, num=5, seed=11)
        alone = [(True, False, None), (False, False, True), (False, False, False)]
        if static_pred:
            alone.append((False, True, None))
        for random_pos, pred_as_input, enforce in [*alone, (True, static_pred, True)]:
            sampler, spec = build(case)
            stream = iter(sampler.next, None)
            if random_pos:
                stream = clrs.process_random_pos(stream, np.random.RandomState(3))
            if pred_as_input:
                spec, stream = clrs.process_pred_as_input(spec, stream)
            if enforce is not None:
                spec, stream = clrs.process_permutations(spec, stream, enforce)
            points = arrays(next(stream))
            yield asdict(case) | {
                "random_pos_seed": 3 if random_pos else None,
                "pred_as_input": pred_as_input,
                "enforce_permutations": enforce,
                "probes": [[name, *kind] for name, kind in spec.items()],
                "digests": {key: digest(array) for key, array in points.items()},
            }


def chunks() -> Iterator[Record]:
    """The first four chunks of batches of 3 from a fixed set."""
    for algorithm, length in [("heapsort", 4), ("bfs", 7), ("kmp_matcher", 10)]:
        for chunk_length in (5, 16):
            case = Case(algorithm, length, num=20, seed=13)
            sampler, _ = build(case)
            stream = clrs.chunkify(iter(lambda: sampler.next(3), None), chunk_length)
            yield asdict(case) | {
                "batch": 3,
                "chunk_length": chunk_length,
                "chunks": [
                    {
                        "is_first": to_ints(chunk.features.is_first),
                        "is_last": to_ints(chunk.features.is_last),
                        "digests": {key: digest(array) for key, array in arrays(chunk).items()},
                    }
                    for chunk in itertools.islice(stream, 4)
                ],
            }


def rng() -> Iterator[Record]:
    """NumPy's RandomState: each call on a new generator, and the double that it draws next."""
    bounds = (1, 2, 3, 4, 5, 7, 8, 16, 17, 64, 100, 1000, 2**16, 2**31, 2**32 - 1, 2**32)
    probabilities = (0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.9, 1)
    calls: list[tuple[str, dict, Callable[[np.random.RandomState], np.ndarray]]] = [
        ("random_sample", {"size": 20}, lambda r: r.random_sample(20)),
        ("uniform", {"low": -3, "high": 7, "size": 20}, lambda r: r.uniform(-3, 7, 20)),
        *(
            ("randint", {"high": high, "size": 12}, lambda r, high=high: r.randint(high, size=12))
            for high in bounds
        ),
        *(
            ("binomial", {"n": 1, "p": p, "size": 40}, lambda r, p=p: r.binomial(1, p, 40))
            for p in probabilities
        ),
        *(("permutation", {"n": n}, lambda r, n=n: r.permutation(n)) for n in range(1, 21)),
    ]
    for seed in (0, 1, 42, 2**32 - 1):
        for call, arguments, draw in calls:
            state = np.random.RandomState(seed)
            values = draw(state).tolist()
            yield {"call": call, "seed": seed} | arguments | {
                "values": values,
                "next": state.random_sample(),
            }
    for seed in (0, 1):
        doubles = np.random.RandomState(seed).random_sample(300)
        sums = [float(np.sum(doubles[:n])) for n in range(1, 301)]
        yield {"call": "sum_of_first_n", "seed": seed, "values": sums}


FILES: dict[str, Callable[[], Iterator[Record]]] = {
    "samples.json": samples,
    "batches.json": batches,
    "conversions.json": conversions,
    "chunks.json": chunks,
    "rng.json": rng,
}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    folder = Path(sys.argv[1])
    about = f"dm-clrs {version('dm-clrs')} on numpy {np.__version__}"
    for name, records in FILES.items():
        # One case per line, so that a changed case is a changed line.
        lines = ",\n".join(json.dumps(record, separators=(",", ":")) for record in records())
        text = f'{{"about":"{about}, by tools/reference/golden.py","cases":[\n{lines}\n]}}\n'
        (folder / name).write_text(text)
        print(f"{folder / name}: {len(text):,} bytes")


if __name__ == "__main__":
    main()
