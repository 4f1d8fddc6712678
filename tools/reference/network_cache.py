"""Caches the results of dm-clrs in a folder per case, because JAX compiles slowly.

    params.npz     the parameters, under the names that Haiku gives them
    batch.npz      the batch, under the keys of `narscope sample` but with the reference's order of axes
    expected.npz   what `narscope predict --hidden --all-steps --loss` should write, in the reference's
                   order of axes and without `logits/`
    gradients.npz  of the total loss, before clipping      (if the case trains)
    updated.npz    the parameters after one step           (if the case trains)
    case.json      the case, the versions, and whether dm-clrs itself took the step; written last
"""

import json
import multiprocessing
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from network_cases import NetworkCase

VERSIONS = {name: version(name) for name in ("dm-clrs", "jax", "dm-haiku", "optax", "numpy")}


def cache_key(case: NetworkCase) -> dict[str, Any]:
    """The part of `case.json` that must match for cached results to be valid."""
    return {"case": asdict(case), "versions": VERSIONS}


def is_cached(case: NetworkCase, folder: Path) -> bool:
    """Whether the folder has the results of this case with the installed versions."""
    try:
        record = json.loads((folder / "case.json").read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return False
    return {key: record[key] for key in ("case", "versions")} == cache_key(case)


def compute(job: tuple[NetworkCase, Path]) -> tuple[NetworkCase, str | None]:
    """Runs the reference on a case and stores the results. Returns the error, if any."""
    case, folder = job
    # Imported here, because the parent must fork before TensorFlow and JAX start their threads.
    from network_oracle import np, run_reference

    try:
        result = run_reference(case)
    except Exception as error:  # an error of the reference concerns this case only
        return case, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.npz"):
        old.unlink()
    np.savez(folder / "params.npz", **result.params)
    np.savez(folder / "batch.npz", **result.batch)
    np.savez(folder / "expected.npz", **result.expected)
    if case.train:
        np.savez(folder / "gradients.npz", **result.gradients)
        np.savez(folder / "updated.npz", **result.updated)
    record = cache_key(case) | {
        "lengths": result.lengths.tolist(),
        "updated_by_reference": result.updated_by_reference,
    }
    (folder / "case.json").write_text(json.dumps(record, indent=1) + "\n")
    return case, None


def ensure_cached(
    cases: list[NetworkCase], folder: Path, processes: int = 2
) -> Iterator[tuple[NetworkCase, str | None]]:
    """Computes the cases that are not cached. Yields each finished case with its error, if any."""
    missing = []
    for case in cases:
        if is_cached(case, folder / case.name):
            yield case, None
        else:
            missing.append((case, folder / case.name))
    # JAX keeps all compiled functions in memory: replace the processes from time to time.
    context = multiprocessing.get_context("fork")
    with context.Pool(processes, maxtasksperchild=20) as pool:
        yield from pool.imap_unordered(compute, missing)
