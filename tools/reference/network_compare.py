"""Runs narscope on the cases that dm-clrs answered, and compares."""

import json
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from network_cases import NetworkCase

# |ours - theirs| may be this times max(1, |theirs|).
PREDICTIONS = 1e-4
# |ours - theirs| may be this, and what the step changes by if a gradient is off by ROUNDING.
UPDATED = 1e-5
# As a part of the largest gradient. The reference itself is off by up to 2.4e-6 (against float64), and
# Adam's first step hardly looks at more than the sign: a gradient that is nothing but rounding, as that
# of a bias which a softmax ignores, may send it either way.
ROUNDING = 1e-5
# Rounding grows from step to step, in long runs to any size, and decides near-ties of maxima. Where a
# case differs, ours is asked again with weights moved by about MOVED, up to MOVES times: what that
# changes, times AS_FAR, is allowed too.
MOVED = 1e-6
MOVES = 4
AS_FAR = 20


@dataclass
class Result:
    """What came of a case."""

    values: int = 0
    # The largest difference as a part of what is allowed, and where.
    worst: float = 0.0
    where: str = "-"
    # Updated parameters whose gradient is so small that their step may go either way.
    faint: int = 0
    # Whether it agrees only as far as ours does with itself when its weights are moved.
    moved: bool = False
    problems: list[str] = field(default_factory=list)


def flags(network: dict) -> list[str]:
    """The settings as `narscope import` takes them."""

    def text(value) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return [f"--{name}={text(value)}" for name, value in network.items()]


@dataclass
class Narscope:
    """The command, and which kernels it is to use."""

    command: str
    kernels: str


def ask(narscope: Narscope, case: NetworkCase, answers: Path, scratch: Path) -> Result:
    """What narscope answers, compared with the reference."""
    result = Result()
    if problem := run_narscope(narscope, case, answers, scratch):
        result.problems.append(problem)
        return result
    result = compare(case, answers, scratch)
    if not result.problems:
        return result
    moved = []
    for seed in range(MOVES):
        folder = scratch / f"moved-{seed}"
        folder.mkdir()
        random = np.random.default_rng(seed)
        with np.load(answers / "params.npz") as params:
            np.savez(folder / "params.npz", **{key: move(params[key], random) for key in params})
        if problem := run_narscope(narscope, case, answers, folder / "narscope", folder / "params.npz"):
            result.problems.append(problem)
            return result
        moved.append(folder / "narscope")
        again = compare(case, answers, scratch, moved)
        again.moved = True
        if not again.problems:
            return again
    return again


def move(values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The same, but for a millionth."""
    return (values * (1 + MOVED * random.standard_normal(values.shape))).astype(values.dtype)


def run_narscope(
    narscope: Narscope, case: NetworkCase, answers: Path, scratch: Path, params: Path | None = None
) -> str | None:
    """Imports the parameters and predicts, into `predictions.npz` and `updated.npz` of the folder."""
    shutil.rmtree(scratch, ignore_errors=True)  # what is left of the last comparison
    scratch.mkdir(parents=True)
    run, predictions, updated = (
        scratch / name for name in ("run", "predictions.npz", "updated.npz")
    )
    imported = [narscope.command, "import", str(params or answers / "params.npz")]
    imported += ["--algorithms", ",".join(case.algorithms), *flags(case.network)]
    imported += ["--kernels", narscope.kernels, "--out", str(run)]
    predicted = [narscope.command, "predict", str(run), "--in", str(answers / "batch.npz")]
    predicted += ["--out", str(predictions), "--hidden", "--all-steps"]
    if case.train:
        predicted += ["--loss", "--updated", str(updated)]
    if len(case.algorithms) > 1:
        predicted += ["--algorithm", case.algorithm]
    for command in (imported, predicted):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            complaint = result.stderr.strip().splitlines()
            return f"{command[1]} failed: {complaint[-1] if complaint else result.returncode}"
    return None


def compare(case: NetworkCase, answers: Path, ours: Path, moved: list[Path] = ()) -> Result:
    """Compares `predictions.npz` and `updated.npz` in the folder `ours` with the reference's; in the
    folders `moved` is what moving the weights makes of ours."""
    result = Result()
    lengths = np.array(json.loads((answers / "case.json").read_text())["lengths"])
    with np.load(answers / "expected.npz") as theirs, np.load(ours / "predictions.npz") as found:
        for key in check_keys(theirs, found, result):
            a, b = found[key], theirs[key]
            if a.shape != b.shape:
                result.problems.append(f"{key} is {list(a.shape)}, not {list(b.shape)}")
                continue
            allowed = PREDICTIONS * np.maximum(1, np.abs(b))
            if moved:
                # Step by step, where there are steps: later ones are further off.
                axes = tuple(range(1 if over_time(key) else 0, a.ndim))
                allowed = allowed + slack(a, moved, "predictions.npz", key, axes)
            compare_values(key, a, b, allowed, compared(key, b, lengths), result)
    if case.train:
        compare_updated(case, answers, ours, result, moved)
    return result


def slack(
    ours: np.ndarray, moved: list[Path], file: str, key: str, axes: tuple[int, ...]
) -> np.ndarray:
    """How far off values may be for what moving the weights does to them."""
    off = np.zeros(ours.shape)
    for folder in moved:
        with np.load(folder / file) as found:
            off = np.maximum(off, np.abs(found[key].astype(np.float64) - ours))
    return AS_FAR * off.max(axis=axes, keepdims=True) if off.size else off


def compare_updated(
    case: NetworkCase, answers: Path, ours: Path, result: Result, moved: list[Path]
) -> None:
    """Compares the parameters after one step."""
    rate, clip = case.network["learning_rate"], case.network["grad_clip_max_norm"]
    gradients = {key: g.astype(np.float64) for key, g in np.load(answers / "gradients.npz").items()}
    norm = np.sqrt(sum(np.square(g).sum() for g in gradients.values()))
    clipped = clip / norm if 0 < clip < norm else 1.0
    off = ROUNDING * clipped * max(np.abs(g).max() for g in gradients.values())

    def step(gradient: np.ndarray) -> np.ndarray:
        return rate * gradient / (np.abs(gradient) + 1e-8)

    with np.load(answers / "updated.npz") as theirs, np.load(ours / "updated.npz") as found:
        for key in check_keys(theirs, found, result):
            if "processor_lstm" in key:  # which ours trains and the reference does not
                continue
            a, b, g = found[key], theirs[key], clipped * gradients[key]
            if a.shape != b.shape:
                result.problems.append(f"{key} is {list(a.shape)}, not {list(b.shape)}")
                continue
            either = [np.abs(step(g + shift) - step(g)) for shift in (off, -off)]
            allowed = UPDATED + np.maximum(*either)
            if moved:
                allowed = allowed + slack(a, moved, "updated.npz", key, tuple(range(a.ndim)))
            result.faint += int((np.abs(g) < off).sum())
            compare_values(f"updated {key}", a, b, allowed, np.ones(b.shape, bool), result)


def check_keys(theirs, found, result: Result) -> list[str]:
    """The keys of both, after a complaint about those of one."""
    if missing := sorted(set(theirs) - set(found)):
        result.problems.append(f"missing {', '.join(missing)}")
    if extra := sorted(set(found) - set(theirs)):
        result.problems.append(f"not in the reference {', '.join(extra)}")
    return sorted(set(theirs) & set(found))


def over_time(key: str) -> bool:
    """Whether an array has a value for every step."""
    return key == "hidden" or key.startswith(("hint/", "output_steps/"))


def compared(key: str, values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Which values count: not those of times that a sample does not reach."""
    if not over_time(key):
        return np.ones(values.shape, bool)
    # Every sample has an output, that of the first step, even if its run ended before.
    last = np.maximum(lengths, 2) if key.startswith("output_steps/") else lengths
    alive = np.arange(len(values))[:, None] < last - 1
    alive = alive.reshape(alive.shape + (1,) * (values.ndim - 2))
    return np.broadcast_to(alive, values.shape)


def compare_values(
    key: str,
    ours: np.ndarray,
    theirs: np.ndarray,
    allowed: np.ndarray,
    counts: np.ndarray,
    result: Result,
) -> None:
    """Adds up what differs, as parts of what is allowed."""
    if not counts.any():
        return
    with np.errstate(invalid="ignore"):
        difference = np.abs(ours.astype(np.float64) - theirs) / allowed
    # NaN differs from everything, another NaN included: the reference has none.
    part = np.where(counts, np.where(np.isnan(difference), np.inf, difference), 0)
    result.values += int(counts.sum())
    place = np.unravel_index(int(part.argmax()), part.shape)
    if part[place] > result.worst:
        result.worst = float(part[place])
        result.where = f"{key}{[int(i) for i in place]}"
    if part[place] > 1:
        result.problems.append(
            f"{key}{[int(i) for i in place]}: reference {theirs[place]}, narscope {ours[place]}"
            f" ({int((part > 1).sum())} of {int(counts.sum())} values differ)"
        )
