"""Runs narscope on cases with cached results of dm-clrs, and compares the results."""

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from network_cases import NetworkCase

# Tolerance of predictions: |ours - theirs| <= PREDICTIONS * max(1, |theirs|).
PREDICTIONS = 1e-4
# Tolerance of updated parameters: |ours - theirs| <= UPDATED, plus the change of the step if a gradient
# has an error of ROUNDING.
UPDATED = 1e-5
# Rounding error of gradients, relative to the largest one. The reference itself has errors of up to 2.4e-6
# (against float64). Adam's first step depends on little more than the sign: where a gradient is only a
# rounding error, such as that of a bias before a softmax, the step may have either sign.
ROUNDING = 1e-5
# Rounding errors grow from step to step without bound, and decide near-ties of maxima. If a case differs,
# narscope runs again with weights perturbed by about PERTURBATION, up to PERTURBED_RUNS times. The
# resulting change times PERTURBATION_FACTOR is allowed in addition.
PERTURBATION = 1e-6
PERTURBED_RUNS = 4
PERTURBATION_FACTOR = 20


@dataclass
class Result:
    """Result of a case."""

    values: int = 0
    # Largest difference, relative to the allowed one, and where it is.
    worst: float = 0.0
    where: str = "-"
    # Number of updated parameters whose gradient is so small that their step may have either sign.
    faint: int = 0
    # Whether it agrees only within the tolerance of perturbed runs.
    perturbed: bool = False
    problems: list[str] = field(default_factory=list)


def flags(network: dict) -> list[str]:
    """Returns the settings as flags of `narscope import`."""

    def text(value) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return [f"--{name}={text(value)}" for name, value in network.items()]


@dataclass
class Narscope:
    """The narscope program, and the kernels that it uses."""

    command: str
    kernels: str


def compare_case(narscope: Narscope, case: NetworkCase, cached: Path, scratch: Path) -> Result:
    """Runs narscope on a case and compares the results with those of the reference."""
    result = Result()
    if problem := run_narscope(narscope, case, cached, scratch):
        result.problems.append(problem)
        return result
    result = compare(case, cached, scratch)
    if not result.problems:
        return result
    perturbed = []
    for seed in range(PERTURBED_RUNS):
        folder = scratch / f"perturbed-{seed}"
        folder.mkdir()
        random = np.random.default_rng(seed)
        with np.load(cached / "params.npz") as params:
            np.savez(folder / "params.npz", **{key: perturb(params[key], random) for key in params})
        if problem := run_narscope(narscope, case, cached, folder / "narscope", folder / "params.npz"):
            result.problems.append(problem)
            return result
        perturbed.append(folder / "narscope")
        again = compare(case, cached, scratch, perturbed)
        again.perturbed = True
        if not again.problems:
            return again
    return again


def perturb(values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Adds relative noise of standard deviation PERTURBATION."""
    return (values * (1 + PERTURBATION * random.standard_normal(values.shape))).astype(values.dtype)


def run_narscope(
    narscope: Narscope, case: NetworkCase, cached: Path, scratch: Path, params: Path | None = None
) -> str | None:
    """Imports the parameters and predicts. Writes `predictions.npz` and `updated.npz` to `scratch`.

    Returns the error, if any.
    """
    shutil.rmtree(scratch, ignore_errors=True)  # files of the last comparison
    scratch.mkdir(parents=True)
    run, predictions, updated = (
        scratch / name for name in ("run", "predictions.npz", "updated.npz")
    )
    imported = [narscope.command, "import", str(params or cached / "params.npz")]
    imported += ["--algorithms", ",".join(case.algorithms), *flags(case.network)]
    imported += ["--kernels", narscope.kernels, "--out", str(run)]
    predicted = [narscope.command, "predict", str(run), "--in", str(cached / "batch.npz")]
    predicted += ["--out", str(predictions), "--hidden", "--all-steps"]
    if case.train:
        predicted += ["--loss", "--updated", str(updated)]
    if len(case.algorithms) > 1:
        predicted += ["--algorithm", case.algorithm]
    for command in (imported, predicted):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            message = result.stderr.strip().splitlines()
            return f"{command[1]} failed: {message[-1] if message else result.returncode}"
    return None


def compare(case: NetworkCase, cached: Path, ours: Path, perturbed: list[Path] = ()) -> Result:
    """Compares `predictions.npz` and `updated.npz` of the folder `ours` with the reference.

    The folders `perturbed` hold our results with perturbed weights.
    """
    result = Result()
    lengths = np.array(json.loads((cached / "case.json").read_text())["lengths"])
    found = read_predictions(ours / "predictions.npz")
    with np.load(cached / "expected.npz") as theirs:
        for key in check_keys(theirs, found, result):
            a, b = found[key], theirs[key]
            if a.shape != b.shape:
                result.problems.append(f"{key} is {list(a.shape)}, not {list(b.shape)}")
                continue
            allowed = PREDICTIONS * np.maximum(1, np.abs(b))
            if perturbed:
                # A separate tolerance for each step, because errors grow from step to step.
                axes = tuple(range(1 if over_time(key) else 0, a.ndim))
                allowed = allowed + slack(a, perturbed, "predictions.npz", key, axes)
            compare_values(key, a, b, allowed, compared(key, b, lengths), result)
    if case.train:
        compare_updated(case, cached, ours, result, perturbed)
    return result


def read_predictions(file: Path) -> dict[str, np.ndarray]:
    """Returns raw predictions, hidden states and losses as the reference names and orders them.

    `narscope predict` has the sample as the first axis, the reference the step.
    """
    found = {}
    with np.load(file) as arrays:
        for name in arrays:
            key = name.removeprefix("logits/")
            if key != name or key == "hidden":
                found[key] = arrays[name].swapaxes(0, 1) if over_time(key) else arrays[name]
            elif key == "loss" or key.startswith("loss/"):
                found[key] = arrays[name]
    return found


def read_arrays(file: Path) -> dict[str, np.ndarray]:
    """Returns the arrays of `predictions.npz` or `updated.npz`."""
    if file.name == "predictions.npz":
        return read_predictions(file)
    with np.load(file) as arrays:
        return dict(arrays)


def slack(
    ours: np.ndarray, perturbed: list[Path], file: str, key: str, axes: tuple[int, ...]
) -> np.ndarray:
    """Returns the additional tolerance from the results with perturbed weights."""
    off = np.zeros(ours.shape)
    for folder in perturbed:
        found = read_arrays(folder / file)
        off = np.maximum(off, np.abs(found[key].astype(np.float64) - ours))
    return PERTURBATION_FACTOR * off.max(axis=axes, keepdims=True) if off.size else off


def compare_updated(
    case: NetworkCase, cached: Path, ours: Path, result: Result, perturbed: list[Path]
) -> None:
    """Compares the parameters after one step."""
    rate, clip = case.network["learning_rate"], case.network["grad_clip_max_norm"]
    gradients = {key: g.astype(np.float64) for key, g in np.load(cached / "gradients.npz").items()}
    norm = np.sqrt(sum(np.square(g).sum() for g in gradients.values()))
    clipped = clip / norm if 0 < clip < norm else 1.0
    off = ROUNDING * clipped * max(np.abs(g).max() for g in gradients.values())

    def step(gradient: np.ndarray) -> np.ndarray:
        return rate * gradient / (np.abs(gradient) + 1e-8)

    with np.load(cached / "updated.npz") as theirs, np.load(ours / "updated.npz") as found:
        for key in check_keys(theirs, found, result):
            if "processor_lstm" in key:  # trained by narscope, but not by the reference
                continue
            a, b, g = found[key], theirs[key], clipped * gradients[key]
            if a.shape != b.shape:
                result.problems.append(f"{key} is {list(a.shape)}, not {list(b.shape)}")
                continue
            either = [np.abs(step(g + shift) - step(g)) for shift in (off, -off)]
            allowed = UPDATED + np.maximum(*either)
            if perturbed:
                allowed = allowed + slack(a, perturbed, "updated.npz", key, tuple(range(a.ndim)))
            result.faint += int((np.abs(g) < off).sum())
            compare_values(f"updated {key}", a, b, allowed, np.ones(b.shape, bool), result)


def check_keys(theirs, found, result: Result) -> list[str]:
    """Returns the keys of both files, and reports keys of only one as problems."""
    if missing := sorted(set(theirs) - set(found)):
        result.problems.append(f"missing {', '.join(missing)}")
    if extra := sorted(set(found) - set(theirs)):
        result.problems.append(f"not in the reference {', '.join(extra)}")
    return sorted(set(theirs) & set(found))


def over_time(key: str) -> bool:
    """Whether an array has a value for every step."""
    return key == "hidden" or key.startswith(("hint/", "output_steps/"))


def compared(key: str, values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Returns a mask of the values to compare: those up to the last step of each sample."""
    if not over_time(key):
        return np.ones(values.shape, bool)
    # Every sample has an output of the first step, even if its trace has no step.
    last = np.maximum(lengths, 2) if key.startswith("output_steps/") else lengths
    active = np.arange(len(values))[:, None] < last - 1
    active = active.reshape(active.shape + (1,) * (values.ndim - 2))
    return np.broadcast_to(active, values.shape)


def compare_values(
    key: str,
    ours: np.ndarray,
    theirs: np.ndarray,
    allowed: np.ndarray,
    mask: np.ndarray,
    result: Result,
) -> None:
    """Adds the differences, relative to the allowed ones, to the result."""
    if not mask.any():
        return
    with np.errstate(invalid="ignore"):
        difference = np.abs(ours.astype(np.float64) - theirs) / allowed
    # NaN counts as a difference, even to another NaN: the reference has none.
    relative = np.where(mask, np.where(np.isnan(difference), np.inf, difference), 0)
    result.values += int(mask.sum())
    index = np.unravel_index(int(relative.argmax()), relative.shape)
    if relative[index] > result.worst:
        result.worst = float(relative[index])
        result.where = f"{key}{[int(i) for i in index]}"
    if relative[index] > 1:
        result.problems.append(
            f"{key}{[int(i) for i in index]}: reference {theirs[index]}, narscope {ours[index]}"
            f" ({int((relative > 1).sum())} of {int(mask.sum())} values differ)"
        )
