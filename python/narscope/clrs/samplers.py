"""Samplers: batches of one algorithm, equal to those of dm-clrs bit for bit."""

import json
import logging
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from narscope._errors import InputError
from narscope._narscope import clrs as _native
from narscope.clrs import probing
from narscope.clrs.own_samplers import Features, Feedback, Sampler
from narscope.clrs.probing import DataPoint
from narscope.clrs.specs import SPECS, Spec, Stage, Type

_log = logging.getLogger("narscope.clrs")

CLRS30: dict[str, dict[str, int]] = {
    name: {"num_samples": 1000 if name == "train" else 32, "length": length, "seed": seed}
    for name, length, seed in _native.splits()
}
"""Number of samples before the multiplier, length and seed of each split."""


class FeaturesChunked(NamedTuple):
    """What a network is given of a chunk; all arrays are ``(steps, batch, ...)``."""

    inputs: Any
    hints: Any
    is_first: Any
    is_last: Any


# Their spelling, and ours.
_RENAMED = {
    "collinearity_resampling_attempts": "collinearity_attempts",
    "collineararity_eps": "collinearity_eps",
}
# The arguments of a sampler that may follow the length without their name.
_POSITIONAL: Mapping[str, Sequence[str]] = {
    "keys": ("low", "high"),
    "tasks": ("max_deadline", "low", "high"),
    "two strings": ("length_2", "chars"),
    "needle": ("length_needle", "chars"),
    "graph": ("p",),
    "weighted graph": ("p", "low", "high"),
    "communities": ("k", "p", "eps"),
    "bipartite graph": ("length_2", "p"),
    "points": (
        "origin_x",
        "origin_y",
        "radius",
        "collinearity_attempts",
        "collinearity_eps",
    ),
}


def _positional(accepted: set[str]) -> Sequence[str]:
    """The order of the arguments of a sampler, found by the options that it accepts."""
    for names in sorted(_POSITIONAL.values(), key=len, reverse=True):
        if accepted.issuperset(names):
            return names
    return ()


_PRED_H, _PRED = "pred_h", "pred"


class AlgorithmSampler(Sampler):
    """Draws batches of an algorithm of the benchmark, in Rust. Made by :func:`build_sampler`."""

    # Which one it is follows from the algorithm.
    CAN_TRUNCATE_INPUT_DATA = False

    def __init__(
        self,
        name: str,
        num_samples: int,
        length: int,
        *args: Any,
        seed: int | None = None,
        track_max_steps: bool = True,
        truncate_decimals: int | None = None,
        **kwargs: Any,
    ) -> None:
        accepted = set(_native.accepted_options(name, "{}"))
        options = dict(zip(_positional(accepted), args, strict=False))
        if len(options) < len(args):
            raise TypeError(f"{name}: too many arguments, found {len(args)} after the length")
        for key, value in kwargs.items():
            options[_RENAMED.get(key, key)] = value
        accepted = set(_native.accepted_options(name, _family(options)))
        if ignored := sorted(set(options) - accepted):
            _log.warning("%s has no options %s: they are ignored", name, ", ".join(ignored))
        options = {key: options[key] for key in options if key in accepted and options[key] is not None}
        self.CAN_TRUNCATE_INPUT_DATA = "truncate_decimals" in accepted  # type: ignore[misc]
        self._truncate_decimals = truncate_decimals
        if truncate_decimals is not None and self.CAN_TRUNCATE_INPUT_DATA:
            options["truncate_decimals"] = truncate_decimals
        self._spec = SPECS[name]
        self._num_samples = num_samples
        self._native = _native.Sampler(
            name, num_samples, length, _checked_seed(seed), track_max_steps, _as_json(options)
        )

    def _sample_data(self, length: int, *args: Any, **kwargs: Any) -> list[Any]:
        """Not supported: arguments of algorithms are drawn in Rust."""
        raise NotImplementedError("call next(): arguments of algorithms are drawn in Rust")

    def next(self, batch_size: int | None = None) -> Feedback:
        """The next batch; all samples of a fixed set if no size is given.

        Batches of a fixed set are drawn with replacement, as those of dm-clrs.
        """
        arrays, lengths = self._native.next(batch_size)
        return feedback_of(self._spec, arrays, lengths)


def build_sampler(
    name: str,
    num_samples: int,
    *args: Any,
    seed: int | None = None,
    track_max_steps: bool = True,
    truncate_decimals: int | None = None,
    **kwargs: Any,
) -> tuple[Sampler, Spec]:
    """A sampler of an algorithm, and its spec.

    Args:
        name: the algorithm.
        num_samples: size of a fixed set; -1 draws new samples for every batch.
        *args: the length, and options in the order of dm-clrs.
        seed: of NumPy's legacy generator; random if not given.
        track_max_steps: without a fixed set, pad batches to the longest run so far, estimated from 1,000 samples.
        truncate_decimals: truncate real inputs to this many decimals.
        **kwargs: ``length`` and the options of dm-clrs, such as ``p`` or ``length_needle``, or of
            ``narscope.sample``. Options that the algorithm does not have are ignored with a warning.

    >>> sampler, spec = build_sampler("bfs", num_samples=100, length=16, seed=1)
    >>> batch = sampler.next(32)
    >>> batch.features.inputs[0].name, batch.features.inputs[0].data.shape, spec["pi"]
    ('pos', (32, 16), ('output', 'node', 'pointer'))
    """
    if name not in SPECS:
        # Says which algorithm has the closest name.
        _native.accepted_options(name, "{}")
    sampler = AlgorithmSampler(
        name,
        num_samples,
        *args,
        seed=seed,
        track_max_steps=track_max_steps,
        truncate_decimals=truncate_decimals,
        **kwargs,
    )
    return sampler, SPECS[name]


def _checked_seed(seed: int | None) -> int:
    if seed is None:
        return secrets.randbits(32)
    if not 0 <= int(seed) < 2**32:
        raise InputError(f"seed must be from 0 to 2**32 - 1, found {seed}")
    return int(seed)


def _family(options: Mapping[str, Any]) -> str:
    """The option that decides which others there are."""
    return _as_json({key: options[key] for key in options if key == "family"})


def _as_json(options: Mapping[str, Any]) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray | np.generic):
            return value.tolist()
        raise InputError(f"an option must be a number or a list of numbers, found {value!r}")

    return json.dumps(options, default=plain)


def feedback_of(spec: Spec, arrays: Iterable[np.ndarray], lengths: np.ndarray, kind: type = list) -> Feedback:
    """A batch from arrays in the order inputs, outputs, hints."""
    points = iter(arrays)

    def of_stage(wanted: str) -> Any:
        probes = [(name, row) for name, row in spec.items() if row[0] == wanted]
        return kind(
            DataPoint(name, location, type_, next(points)) for name, (_, location, type_) in probes
        )

    inputs, outputs = of_stage(Stage.INPUT), of_stage(Stage.OUTPUT)
    return Feedback(Features(inputs, of_stage(Stage.HINT), lengths), outputs)


def process_random_pos(sample_iterator: Iterator[Feedback], rng: np.random.RandomState) -> Iterator[Feedback]:
    """Replaces the even spacing of ``pos`` by sorted random numbers, for each string separately."""
    for feedback in sample_iterator:
        inputs = list(feedback.features.inputs)
        place = next(i for i, point in enumerate(inputs) if point.name == "pos")
        pos = inputs[place]
        random = rng.uniform(size=pos.data.shape)
        for row, even in zip(random, np.asarray(pos.data), strict=True):
            starts = [*np.flatnonzero(even == 0), even.size]
            for start, end in zip(starts, starts[1:]):
                row[start:end].sort()
        inputs[place] = DataPoint(pos.name, pos.location, pos.type_, random)
        yield feedback._replace(features=feedback.features._replace(inputs=inputs))


def process_pred_as_input(
    spec: Spec, sample_iterator: Iterator[Feedback]
) -> tuple[Spec, Iterator[Feedback]]:
    """Turns the hint ``pred_h``, where it is the same at every step, into an input ``pred``.

    The iterator raises ``ValueError`` if the hint changes, as it does for sorting.
    """
    if _PRED_H not in spec:
        return spec, sample_iterator
    converted: Spec = {}
    for name, (stage, location, type_) in spec.items():
        if name == _PRED_H:
            converted[_PRED] = (Stage.INPUT, location, type_)
        else:
            converted[name] = (stage, location, type_)
    return converted, _with_pred_as_input(sample_iterator)


def _with_pred_as_input(sample_iterator: Iterator[Feedback]) -> Iterator[Feedback]:
    for feedback in sample_iterator:
        features = feedback.features
        hint = next(point for point in features.hints if point.name == _PRED_H)
        data = np.asarray(hint.data)
        running = np.arange(len(data))[:, None] < np.asarray(features.lengths)
        if (data != data[0])[running].any():
            raise InputError(f"{_PRED_H} changes from step to step, so it cannot be an input of this algorithm")
        pred = DataPoint(_PRED, hint.location, hint.type_, data[0])
        hints = tuple(point for point in features.hints if point.name != _PRED_H)
        features = features._replace(inputs=(*features.inputs, pred), hints=hints)
        yield feedback._replace(features=features)


def process_permutations(
    spec: Spec, sample_iterator: Iterator[Feedback], enforce_permutations: bool
) -> tuple[Spec, Iterator[Feedback]]:
    """Turns outputs that should be permutations into a matrix and a mask of the head, or into plain pointers."""
    converted: Spec = {}
    for name, (stage, location, type_) in spec.items():
        if type_ != Type.SHOULD_BE_PERMUTATION:
            converted[name] = (stage, location, type_)
        elif enforce_permutations:
            converted[name] = (stage, location, Type.PERMUTATION_POINTER)
            converted[f"{name}_mask"] = (stage, location, Type.MASK_ONE)
        else:
            converted[name] = (stage, location, Type.POINTER)
    return converted, _with_permutations(sample_iterator, enforce_permutations)


def _with_permutations(sample_iterator: Iterator[Feedback], enforce: bool) -> Iterator[Feedback]:
    for feedback in sample_iterator:
        outputs = []
        for point in feedback.outputs:
            if point.type_ != Type.SHOULD_BE_PERMUTATION:
                outputs.append(point)
            elif enforce:
                chains = map(probing.predecessor_to_cyclic_predecessor_and_first, np.asarray(point.data))
                cycles, heads = (np.stack(arrays) for arrays in zip(*chains, strict=True))
                mask = f"{point.name}_mask"
                outputs += [
                    DataPoint(point.name, point.location, Type.PERMUTATION_POINTER, cycles),
                    DataPoint(mask, point.location, Type.MASK_ONE, heads),
                ]
            else:
                outputs.append(DataPoint(point.name, point.location, Type.POINTER, point.data))
        inputs, hints, lengths = feedback.features
        yield Feedback(Features(tuple(inputs), tuple(hints), lengths), outputs)


