"""Training, with its progress."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from narscope import _narscope
from narscope._run import Run
from narscope._sampling import name_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from narscope._options import Configuration


@dataclass(frozen=True)
class Event:
    """A validation, as callbacks of :func:`narscope.train` get it."""

    #: The folder of the run.
    path: Path
    #: Number of steps so far, and of all.
    step: int
    steps: int
    #: Validation score of each algorithm, from 0 to 1.
    scores: dict[str, float]
    #: Validation loss of each algorithm.
    losses: dict[str, float]
    #: Whether it is the best validation so far.
    is_best: bool

    @property
    def score(self) -> float:
        """Mean score over the algorithms."""
        return sum(self.scores.values()) / len(self.scores)


def train(
    algorithms: Any = None,
    *,
    out: str | os.PathLike[str] | None = None,
    callback: Callable[[Event], object] | None = None,
    resume: str | os.PathLike[str] | None = None,
    preset: str | None = None,
    config: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    progress: bool | None = None,
    **keys: Unpack[Configuration],
) -> Run:
    """Trains a network to execute one algorithm or several, and tests it on samples four times larger.

    Keywords are the keys of the configuration (:class:`narscope._options.Configuration` explains all), with the names and
    defaults of dm-clrs; ``preset`` (``"clrs"`` or ``"paper"``) and ``config`` (TOML files) come before them. ``out`` is
    the folder of the run, by default ``runs/ALGORITHMS/PROCESSOR/seed=SEED``. A run of the same configuration that is
    there already is continued, or returned if it is finished: the same configuration gives the same weights, bit for
    bit. ``resume`` is the folder of a run to continue; only ``train_steps`` and ``early_stop`` can change then.

    ``callback`` is called after every validation with an :class:`narscope.Event`; if it returns False, training is saved
    and ends. Ctrl-C saves, too, and then raises ``KeyboardInterrupt``. ``progress`` shows a line on standard error; by
    default in terminals and notebooks.

    >>> import narscope as ns, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> run = ns.train("bfs", out=f"{folder}/run", processor="pgn", steps=3, hidden_size=8,
    ...                train_lengths=4, batch_size=2, eval_every=2)
    >>> run.algorithms, run.history[-1]["split"]
    (['bfs'], 'test')
    """
    if algorithms is not None:
        several = algorithms if isinstance(algorithms, list | tuple) else [algorithms]
        names = [name_of(algorithm) for algorithm in several]
        keys = {"algorithms": names, **keys}  # type: ignore[typeddict-unknown-key]
    files = [config] if isinstance(config, str | os.PathLike) else list(config)
    listener = _Listener(callback, _Line(sys.stderr) if _is_shown(progress) else None)
    try:
        path, _ = _narscope.train(
            dict(keys),
            preset,
            [os.fspath(file) for file in files],
            None if out is None else os.fspath(out),
            None if resume is None else os.fspath(resume),
            listener,
        )
    except KeyboardInterrupt as interrupt:
        if listener.path is None or not (listener.path / "last.safetensors").exists():
            raise
        raise KeyboardInterrupt(
            f"saved after step {listener.step}; continue with narscope.train(resume={str(listener.path)!r})"
        ) from interrupt
    finally:
        listener.end()
    best = Path(path, "best.safetensors").exists()
    return Run.load(path, checkpoint="best" if best else "last")


def _is_shown(progress: bool | None) -> bool:
    """Whether to show progress: unless told, to people but not in logs."""
    if progress is not None:
        return progress
    is_notebook = type(sys.stderr).__module__.startswith("ipykernel")
    return is_notebook or sys.stderr.isatty()


class _Listener:
    """Takes the events of training."""

    def __init__(self, callback: Callable[[Event], object] | None, line: _Line | None) -> None:
        self.callback = callback
        self.line = line
        self.path: Path | None = None
        self.step = 0

    def __call__(self, event: str, about: dict[str, Any]) -> object:
        if event == "begun":
            self.path = Path(about["path"])
        if "step" in about:
            self.step = about["step"]
        if event == "notice":
            self.end()
            print(f"warning: {about['message']}", file=sys.stderr)
        elif self.line is not None:
            self.line.update(event, about)
        if event != "validated" or self.callback is None or self.path is None:
            return None
        return self.callback(
            Event(
                self.path,
                about["step"],
                about["steps"],
                about["scores"],
                about["losses"],
                about["is_best"],
            )
        )

    def end(self) -> None:
        """Leaves the line of progress as it is."""
        if self.line is not None:
            self.line.end()


class _Line:
    """One line of text that is written over and over."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.width = 0
        #: When and where counting began: earlier steps do not count towards the rate.
        self.start = (time.monotonic(), 0)
        self.loss = ""
        self.validation = ""
        self.testing = ""

    def update(self, event: str, about: dict[str, Any]) -> None:
        """Shows an event."""
        if event == "started":
            self.start = (time.monotonic(), about["step"])
        elif event == "progress":
            self.loss = f", loss {about['loss']:.4f}" if about["loss"] is not None else ""
            self.show(f"step {about['step']}/{about['steps']}{self.pace(about['step'], about['steps'])}")
        elif event == "validated":
            scores = ", ".join(f"{name} {score:.2%}" for name, score in about["scores"].items())
            self.validation = f", validation {scores}"
            self.show(f"step {about['step']}/{about['steps']}{self.pace(about['step'], about['steps'])}")
        elif event == "tested":
            if self.testing != about["algorithm"]:
                self.testing = about["algorithm"]
                self.start = (time.monotonic(), about["samples"])
            done, of = about["samples"], about["of"]
            self.show(f"test of {self.testing}: sample {done}/{of}{self.pace(done, of)}")

    def pace(self, done: int, of: int) -> str:
        """The rate and the time that is left."""
        since, first = self.start
        seconds = time.monotonic() - since
        if seconds <= 0 or done <= first:
            return ""
        rate = (done - first) / seconds
        left = (of - done) / rate
        minutes, rest = divmod(round(left), 60)
        hours, minutes = divmod(minutes, 60)
        clock = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
        return f", {rate:.3g}/s, {clock} left"

    def show(self, text: str) -> None:
        """Replaces the line."""
        if not self.testing:
            text += self.loss + self.validation
        self.file.write("\r" + text.ljust(self.width))
        self.file.flush()
        self.width = len(text)

    def end(self) -> None:
        """Ends the line, so that others follow it."""
        if self.width:
            self.file.write("\n")
            self.file.flush()
            self.width = 0
