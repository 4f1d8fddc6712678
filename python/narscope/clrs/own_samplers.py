"""Samplers of algorithms that are written in Python, in the manner of dm-clrs."""

import abc
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from narscope._errors import InputError
from narscope.clrs.probing import DataPoint, ProbesDict, split_stages
from narscope.clrs.specs import Spec

Trajectory = list[DataPoint]

# Runs that are drawn and dropped to find out how long runs are.
_PROBING_SAMPLES = 1000


class Features(NamedTuple):
    """What a network is given: inputs, hints ``(steps, batch, ...)`` and the number of hints of each sample."""

    inputs: Any
    hints: Any
    lengths: Any


class Feedback(NamedTuple):
    """A batch: features, and the outputs that a network is to predict."""

    features: Any
    outputs: Any


class Sampler(abc.ABC):
    """Draws batches of one algorithm. :func:`build_sampler` makes those of the benchmark.

    A subclass is a sampler of an own algorithm: it says with ``CAN_TRUNCATE_INPUT_DATA`` whether real arguments may be
    truncated, and draws the arguments of the algorithm in ``_sample_data``. The algorithm returns its output and
    its probes (:mod:`narscope.clrs.probing`). For algorithms that are to be trained by narscope, and for speed, use
    :func:`narscope.algorithm`.

    >>> from narscope.clrs import SPECS, algorithms
    >>> class Reversed(Sampler):
    ...     CAN_TRUNCATE_INPUT_DATA = True
    ...     def _sample_data(self, length):
    ...         return [np.sort(self._random_sequence(length))[::-1]]
    >>> Reversed(algorithms.minimum, SPECS["minimum"], 10, 4, seed=1).next(2).outputs[0].data
    array([[0., 0., 0., 1.],
           [0., 0., 0., 1.]])
    """

    CAN_TRUNCATE_INPUT_DATA: ClassVar[bool | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.CAN_TRUNCATE_INPUT_DATA is None:
            raise NotImplementedError(f"{cls.__name__} must set CAN_TRUNCATE_INPUT_DATA to True or False")

    def __init__(
        self,
        algorithm: Callable[..., tuple[Any, ProbesDict]],
        spec: Spec,
        num_samples: int,
        *args: Any,
        seed: int | None = None,
        track_max_steps: bool = True,
        truncate_decimals: int | None = None,
        **kwargs: Any,
    ) -> None:
        self._algorithm = algorithm
        self._spec = spec
        self._num_samples = num_samples
        self._args, self._kwargs = args, kwargs
        self._rng = np.random.RandomState(seed)
        self._track_max_steps = track_max_steps
        self._truncate_decimals = truncate_decimals if self.CAN_TRUNCATE_INPUT_DATA else None
        self.max_steps = 0
        if num_samples >= 0:
            self._all = self._draw(num_samples)
        elif track_max_steps:
            runs = (self._run() for _ in range(_PROBING_SAMPLES))
            self.max_steps = max(len(hints[0].data) for _, _, hints in runs)

    @abc.abstractmethod
    def _sample_data(self, length: int, *args: Any, **kwargs: Any) -> list[Any]:
        """Draws the arguments of the algorithm."""

    def next(self, batch_size: int | None = None) -> Feedback:
        """The next batch; all samples of a fixed set if no size is given.

        Batches of a fixed set are drawn with replacement, as those of dm-clrs.
        """
        if self._num_samples < 0:
            if batch_size is None:
                raise InputError("a sampler with num_samples = -1 needs a batch_size")
            batch = self._draw(batch_size)
            if self._track_max_steps:
                self.max_steps = len(batch.features.hints[0].data)
            return batch
        if batch_size is None:
            return self._all
        if batch_size > self._num_samples:
            raise InputError(f"a batch of {batch_size} cannot be drawn from {self._num_samples} samples")
        chosen = self._rng.choice(self._num_samples, (batch_size,), replace=True)
        (inputs, hints, lengths), outputs = self._all

        def take(points: Trajectory, axis: int) -> Trajectory:
            return [DataPoint(it.name, it.location, it.type_, it.data.take(chosen, axis)) for it in points]

        return Feedback(Features(take(inputs, 0), take(hints, 1), lengths[chosen]), take(outputs, 0))

    def _run(self) -> tuple[Trajectory, Trajectory, Trajectory]:
        """Inputs, outputs and hints of a new sample."""
        arguments = self._trunc_array(self._sample_data(*self._args, **self._kwargs))
        _, probes = self._algorithm(*arguments)
        return split_stages(probes, self._spec)

    def _draw(self, count: int) -> Feedback:
        inputs, outputs, hints = zip(*(self._run() for _ in range(count)), strict=True)
        padded, lengths = _batch_hints(hints, self.max_steps)
        return Feedback(Features(_batch_io(inputs), padded, lengths), _batch_io(outputs))

    def _trunc_array(self, data: Any) -> Any:
        """Arguments of an algorithm with real numbers truncated to the decimals of the sampler."""
        if not self._truncate_decimals:
            return data
        unit = 10.0**self._truncate_decimals

        def truncated(value: Any) -> Any:
            is_real = isinstance(value, float) or _is_float_array(value)
            return np.trunc(value * unit) / unit if is_real else value

        values = [truncated(value) for value in data]
        return np.array(values) if isinstance(data, np.ndarray) else values

    def _random_sequence(self, length: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
        """Uniform random numbers."""
        return self._rng.uniform(low=low, high=high, size=(length,))

    def _random_string(self, length: int, chars: int = 4) -> np.ndarray:
        """Random letters, as numbers below ``chars``."""
        return self._rng.randint(0, high=chars, size=(length,))

    def _random_er_graph(
        self,
        nb_nodes: int,
        p: float = 0.5,
        directed: bool = False,
        acyclic: bool = False,
        weighted: bool = False,
        low: float = 0.0,
        high: float = 1.0,
    ) -> np.ndarray:
        """A random graph of Erdős and Rényi, with the distributions of the benchmark."""
        size = (nb_nodes, nb_nodes)
        edges = self._rng.binomial(1, p, size=size)
        if not directed:
            edges = edges * edges.T
        elif acyclic:
            order = self._rng.permutation(nb_nodes)
            edges = np.triu(edges, k=1)[np.ix_(order, order)]
        if not weighted:
            return edges
        weights = self._rng.uniform(low=low, high=high, size=size)
        if not directed:
            # The small number keeps weights of edges from 0.
            weights = np.sqrt(weights * weights.T + 1e-3)
        return edges * weights


def _batch_io(trajectories: Sequence[Trajectory]) -> Trajectory:
    """Inputs or outputs of single samples as a batch."""
    return [
        DataPoint(
            points[0].name, points[0].location, points[0].type_, np.concatenate([it.data for it in points])
        )
        for points in zip(*trajectories, strict=True)
    ]


def _batch_hints(trajectories: Sequence[Trajectory], min_steps: int) -> tuple[Trajectory, np.ndarray]:
    """Hints of single samples as a batch, padded with zeros; and the number of hints of each sample."""
    lengths = np.array([len(points[0].data) for points in trajectories], dtype=float)
    steps = max(min_steps, int(lengths.max()))
    batch = []
    for points in zip(*trajectories, strict=True):
        data = np.zeros((steps, len(points), *points[0].data.shape[2:]))
        for sample, point in enumerate(points):
            data[: len(point.data), sample] = point.data[:, 0]
        batch.append(DataPoint(points[0].name, points[0].location, points[0].type_, data))
    return batch, lengths


def _is_float_array(data: Any) -> bool:
    return isinstance(data, np.ndarray) and np.issubdtype(data.dtype, np.floating)
