"""Trained networks."""

from __future__ import annotations

import inspect
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from narscope import _narscope
from narscope._batch import Batch, Sample
from narscope._errors import InputError
from narscope._records import History, Scores
from narscope._sampling import name_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from narscope._options import SamplerOptions

    Arrays = dict[str, NDArray[Any]]
    Hook = Callable[..., "NDArray[Any] | None"]


@dataclass(frozen=True, repr=False)
class Prediction:
    """What a network predicts for a batch, in the layout of the batch."""

    #: Decided outputs ``[B, …]``, in the form of the true ones.
    outputs: Arrays
    #: Decided hints ``[T, B, …]``: the first is given, the others are predicted. Empty if the network predicts none.
    hints: Arrays
    #: Outputs before a decision is made, ``[B, …]``.
    output_logits: Arrays
    #: Hints before a decision is made, ``[T - 1, B, …]``: one per step of the network.
    hint_logits: Arrays
    #: Hidden states after every step, ``[T - 1, B, n, H]``; None unless asked for.
    hidden: NDArray[np.float32] | None
    #: Number of steps of the network on each sample; what follows is zero.
    steps: NDArray[np.int64]
    #: Score of each sample: the mean over its outputs.
    scores: NDArray[np.float64]

    @property
    def score(self) -> float:
        """Mean score of the samples."""
        return float(self.scores.mean())

    def __repr__(self) -> str:
        outputs = ", ".join(f"{name} {array.shape}" for name, array in self.outputs.items())
        hidden = "" if self.hidden is None else f", hidden {self.hidden.shape}"
        return f"Prediction for {len(self.steps)} samples: score {self.score:.2%}, outputs {outputs}{hidden}"


class Run:
    """A run: a folder with a network, its configuration, its history and its scores.

    :func:`narscope.train` makes one, :meth:`Run.load` opens one. Threads may share a run.
    """

    def __init__(self, handle: _narscope.Run) -> None:
        self._handle = handle
        # Hooks of one thread are not called in another.
        self._of_thread = threading.local()

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, checkpoint: str = "best") -> Run:
        """Opens the folder of a run; ``checkpoint`` is ``"best"`` (highest validation score) or ``"last"``.

        >>> import narscope as ns
        >>> ns.Run.load("nowhere")
        Traceback (most recent call last):
        ...
        narscope.MissingFileError: there is no run in this folder (no config.toml): nowhere
        """
        return cls(_narscope.Run.open(os.fspath(path), checkpoint))

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self._handle.path)

    @property
    def config(self) -> dict[str, Any]:
        """The configuration: every key with its value."""
        return dict(self._handle.config)

    @property
    def algorithms(self) -> list[str]:
        """The algorithms that the network was trained on."""
        return list(self.config["algorithms"])

    @property
    def history(self) -> History:
        """Losses and scores during training, as they are in the folder now."""
        return History.read(self.path / "metrics.jsonl")

    @property
    def scores(self) -> Scores:
        """Test scores of the best checkpoint; none until training is over."""
        file = self.path / "test.json"
        return Scores(json.loads(file.read_text(encoding="utf-8")) if file.exists() else [])

    def evaluate(
        self,
        batch: Batch | None = None,
        *,
        algorithm: Any = None,
        n: int | None = None,
        num: int = 32,
        seed: int = 3,
        split: str = "test",
        hints: bool = False,
        per_sample: bool = False,
        more_steps: int = 0,
        **options: Unpack[SamplerOptions],
    ) -> Scores:
        """Scores the network: on new samples of ``n`` nodes, on a batch, or else on a split of the benchmark.

        ``hints`` scores hints, too, ``per_sample`` every sample; ``more_steps`` runs the network longer than the
        algorithm. Other keywords are options of the sampler.
        """
        samples: Any = split
        if batch is not None:
            algorithm = batch.algorithm if algorithm is None else algorithm
            samples = batch
        elif n is not None:
            samples = (n, num, seed, dict(options))
        if options and (batch is not None or n is None):
            given = ", ".join(options)
            raise InputError(f"{given} apply to new samples only; give n, their number of nodes, to draw some")
        name = None if algorithm is None else name_of(algorithm)
        return Scores(
            self._handle.evaluate(name, samples, hints, per_sample, int(more_steps), self._hook())
        )

    def predict(
        self,
        batch: Batch | Sample,
        *,
        hidden: bool = False,
        more_steps: int = 0,
    ) -> Prediction:
        """What the network predicts for samples, as they are in the arrays of the batch.

        ``hidden`` keeps the hidden states of all nodes after every step.
        """
        if isinstance(batch, Sample):
            batch = batch.batch()
        outputs, hints, logits, steps, scores, states = self._handle.predict(
            batch.algorithm, batch, hidden, int(more_steps), self._hook()
        )
        output_logits = {name[14:]: array for name, array in logits.items() if name.startswith("logits/output/")}
        # Rust has the sample first.
        hint_logits = {
            name[12:]: np.swapaxes(array, 0, 1) for name, array in logits.items() if name.startswith("logits/hint/")
        }
        return Prediction(outputs, hints, output_logits, hint_logits, states, steps, scores)

    def record(
        self,
        file: str | os.PathLike[str],
        *,
        batch: Batch | None = None,
        algorithm: Any = None,
        n: int = 16,
        num: int = 100,
        seed: int = 1,
        over_nodes: str = "max",
        force: bool = False,
        **options: Unpack[SamplerOptions],
    ) -> Path:
        """Writes hidden states and predictions, on a batch or on new samples, to a ``.npz`` or ``.safetensors`` file.

        ``over_nodes`` is what is kept of the states of all nodes: their ``"max"``, ``"mean"``, ``"min"``, or ``"all"``
        of them. After an interruption the same call continues. Returns the path.
        """
        samples: Any = (n, num, seed, dict(options)) if batch is None else batch
        if batch is not None:
            algorithm = batch.algorithm
        name = None if algorithm is None else name_of(algorithm)
        self._handle.record(os.fspath(file), name, samples, over_nodes, force)
        return Path(file)

    @contextmanager
    def hooks(self, hooks: Mapping[str, Hook]) -> Iterator[Run]:
        """Reads and changes hidden states in flight, in :meth:`predict` and :meth:`evaluate` of this thread.

        ``{"hidden": function}`` calls ``function(t, h)`` after every step ``t`` of the network, counted from 0, with the
        states ``[samples, n, H]`` of the samples that still run. Decoders and the next step see what it returns, or
        ``h`` with what it changed in it. A function of three parameters also gets the indices of these samples in the
        batch.

        >>> import narscope as ns
        >>> seen = []
        >>> run = ns.Run.load("crates/narscope/networks/linear_pgn-42")
        >>> with run.hooks({"hidden": lambda t, h: seen.append(h.shape)}):
        ...     prediction = run.predict(ns.sample("bellman_ford", n=4, num=2))
        >>> seen[0]
        (2, 4, 128)
        """
        for name in hooks:
            if name != "hidden":
                raise InputError(f'the only place for a hook is "hidden", found {name!r}')
        before = self._functions()
        self._of_thread.functions = [*before, *(_with_samples(hook) for hook in hooks.values())]
        try:
            yield self
        finally:
            self._of_thread.functions = before

    def _functions(self) -> list[Hook]:
        return list(getattr(self._of_thread, "functions", []))

    def _hook(self) -> Hook | None:
        """All hooks as one, the outermost first."""
        functions = self._functions()
        if not functions:
            return None

        def hook(step: int, states: NDArray[Any], samples: NDArray[Any]) -> NDArray[Any]:
            for function in functions:
                changed = function(step, states, samples)
                states = states if changed is None else changed
            return states

        return hook

    @property
    def weights(self) -> Arrays:
        """The weights by name, as copies; :meth:`set_weights` takes changed ones."""
        return self._handle.weights()

    def set_weights(self, weights: Mapping[str, ArrayLike]) -> None:
        """Replaces weights by name, in memory: the folder stays as it is. Weights that are not given stay."""
        self._handle.set_weights(dict(weights))

    def save(self, path: str | os.PathLike[str]) -> Run:
        """Writes the network as it is now, with weights that were set, to a new run folder."""
        self._handle.save(os.fspath(path))
        return Run.load(path)

    def __repr__(self) -> str:
        config = self.config
        scores = self.scores
        steps = config["train_steps"]
        state = f"test score {scores.mean:.2%}" if scores else "not tested"
        network = f"{config['processor_type']}, hidden size {config['hidden_size']}"
        return f"Run {str(self.path)!r}: {', '.join(config['algorithms'])}; {network}, {steps} steps; {state}"


def _with_samples(hook: Hook) -> Hook:
    """A hook that takes the indices of samples, too, whether the given one does or not."""
    if not callable(hook):
        raise InputError(f"a hook should be a function of the step and the states, found {hook!r}")
    try:
        parameters = inspect.signature(hook).parameters.values()
    except ValueError:
        # A function that is not written in Python.
        return lambda t, h, samples: hook(t, h)
    positional = [it for it in parameters if it.kind in (it.POSITIONAL_ONLY, it.POSITIONAL_OR_KEYWORD)]
    takes_all = any(it.kind == it.VAR_POSITIONAL for it in parameters)
    if takes_all or len(positional) > 2:
        return hook
    return lambda t, h, samples: hook(t, h)
