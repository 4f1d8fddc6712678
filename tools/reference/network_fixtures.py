"""Writes the results of dm-clrs on small cases for the Rust tests. Their README.md has the format."""

import json
import struct
from dataclasses import asdict
from pathlib import Path

import numpy as np

from network_cache import VERSIONS
from network_cases import NetworkCase, fixture_cases

Arrays = dict[str, np.ndarray]

# Cases with all gradients and updated parameters. The others have sums of gradients only.
IN_FULL = {
    "bfs-mpnn",
    "bfs-unclipped",
    "bellman_ford-gat",
    "bellman_ford-gatv2",
    "bellman_ford-lstm",
    "insertion_sort-several",
    "insertion_sort-triplet_gmpnn",
}


def steps_to_keep(steps: int) -> list[int]:
    """Returns the steps to store: the first (true hints), the second (predicted hints) and the last."""
    return sorted({0, min(1, steps - 1), steps - 1})


def zero_past_the_end(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Sets predictions [steps, batch, ...] after the last step of each sample to zero."""
    active = np.arange(len(values))[:, None] < lengths - 1
    return np.where(active.reshape(active.shape + (1,) * (values.ndim - 2)), values, 0)


def sums(gradient: np.ndarray, parameter: np.ndarray) -> list[float]:
    """Returns sum, sum of squares, and dot product with the parameter, which detects a wrong order."""
    g, w = gradient.astype(np.float64), parameter.astype(np.float64)
    return [g.sum(), np.square(g).sum(), (g * w).sum()]


def fixture(case: NetworkCase, folder: Path) -> tuple[dict, Arrays]:
    """Returns the settings and small results of a case for JSON, and its arrays."""
    expected, params, gradients, updated = (
        dict(np.load(folder / f"{name}.npz"))
        for name in ("expected", "params", "gradients", "updated")
    )
    about = json.loads((folder / "case.json").read_text())
    lengths = np.array(about["lengths"])
    steps = len(expected["hidden"])
    kept = steps_to_keep(steps)

    found: Arrays = {}
    losses: dict[str, float] = {}
    for key, values in expected.items():
        if key.startswith("loss"):
            losses[key] = float(values)
        elif key.startswith("output/"):
            found[key] = values
        elif key.startswith("hint/") or key == "hidden":
            found[key] = zero_past_the_end(values, lengths)[kept]
    names = sorted(params)
    squares = sum(np.square(g, dtype=np.float64).sum() for g in gradients.values())
    found["gradient_sums"] = np.array([sums(gradients[name], params[name]) for name in names])
    if case.name in IN_FULL:
        found |= {f"gradient/{name}": gradients[name] for name in names}
        found |= {f"updated/{name}": updated[name] for name in names}
    record = asdict(case) | {
        "lengths": about["lengths"],
        "steps": steps,
        "kept_steps": kept,
        "parameters": {"tensors": len(names), "values": sum(p.size for p in params.values())},
        "losses": losses,
        "gradient_norm": float(np.sqrt(squares)),
        "updated_by_reference": about["updated_by_reference"],
    }
    return record, found


def write_safetensors(path: Path, tensors: Arrays) -> None:
    """Writes little-endian float32 tensors in the given order: a JSON header, then the values."""
    header, blobs, offset = {}, [], 0
    for name, values in tensors.items():
        blob = np.ascontiguousarray(values, dtype="<f4").tobytes()
        span = [offset, offset + len(blob)]
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": span}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # aligns the values
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def write_fixtures(cached: Path, out: Path) -> None:
    """Writes `cases.json` and one file of arrays per group."""
    out.mkdir(parents=True, exist_ok=True)
    records: list[dict] = []
    groups: dict[str, Arrays] = {}
    for group, case in fixture_cases():
        record, found = fixture(case, cached / case.name)
        records.append({"group": group} | record)
        groups.setdefault(group, {}).update(
            {f"{case.name}:{key}": values for key, values in found.items()}
        )
    about = ", ".join(f"{name} {number}" for name, number in VERSIONS.items())
    # One case per line, so that a changed case is a changed line.
    lines = ",\n".join(json.dumps(record, separators=(",", ":")) for record in records)
    text = f'{{"about":"{about}; by tools/reference/networks.py","cases":[\n{lines}\n]}}\n'
    (out / "cases.json").write_text(text)
    for group, tensors in groups.items():
        write_safetensors(out / f"{group}.safetensors", tensors)
    for file in ["cases.json", *(f"{group}.safetensors" for group in groups)]:
        print(f"{out / file}: {(out / file).stat().st_size:,} bytes")
