"""Keeps what dm-clrs answered in a folder per case, because JAX takes its time to compile.

    params.npz     the parameters, under the names that Haiku gives them
    batch.npz      the batch, under the keys of `narscope sample`
    expected.npz   what `narscope predict --hidden --all-steps --loss` should find
    gradients.npz  of the total loss, before clipping      (if the case trains)
    updated.npz    the parameters after one step           (if the case trains)
    case.json      the case, the versions that answered it, and who took the step; written last
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


def about(case: NetworkCase) -> dict[str, Any]:
    return {"case": asdict(case), "versions": VERSIONS}


def is_answered(case: NetworkCase, folder: Path) -> bool:
    """Whether the folder holds the answer to this very case, by these very versions."""
    try:
        record = json.loads((folder / "case.json").read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return False
    return {key: record[key] for key in ("case", "versions")} == about(case)


def ask(job: tuple[NetworkCase, Path]) -> tuple[NetworkCase, str | None]:
    """Asks the reference and stores the answer, or says what went wrong."""
    case, folder = job
    # Here, not above: the parent must fork before TensorFlow and JAX start their threads.
    from network_oracle import answer, np

    try:
        found = answer(case)
    except Exception as error:  # whatever the reference raises is news about this case only
        return case, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.npz"):
        old.unlink()
    np.savez(folder / "params.npz", **found.params)
    np.savez(folder / "batch.npz", **found.batch)
    np.savez(folder / "expected.npz", **found.expected)
    if case.train:
        np.savez(folder / "gradients.npz", **found.gradients)
        np.savez(folder / "updated.npz", **found.updated)
    record = about(case) | {
        "lengths": found.lengths.tolist(),
        "updated_by_reference": found.own_update,
    }
    (folder / "case.json").write_text(json.dumps(record, indent=1) + "\n")
    return case, None


def answered(
    cases: list[NetworkCase], folder: Path, processes: int = 2
) -> Iterator[tuple[NetworkCase, str | None]]:
    """Sees to it that every case is answered. Yields each when it is, with what went wrong."""
    missing = []
    for case in cases:
        if is_answered(case, folder / case.name):
            yield case, None
        else:
            missing.append((case, folder / case.name))
    # JAX keeps every function that it compiled: new processes from time to time forget them.
    context = multiprocessing.get_context("fork")
    with context.Pool(processes, maxtasksperchild=20) as pool:
        yield from pool.imap_unordered(ask, missing)
