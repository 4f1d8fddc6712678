"""Samples as text."""

from typing import Any

import numpy as np

from narscope._errors import InputError
from narscope.clrs.own_samplers import Feedback
from narscope.clrs.probing import DataPoint
from narscope.clrs.specs import CLRS_30_ALGS, SPECS, Location, Type

CLRS_TASKS_WITH_HINTS: tuple[str, ...] = tuple(name for name in CLRS_30_ALGS if name != "segments_intersect")
"""The algorithms whose steps can be shown."""

# Algorithms whose outputs are not among their hints: the hints that are shown, and how.
_SHOWN_HINTS = {
    "binary_search": ("low", "high"),
    "find_maximum_subarray_kadane": ("best_low", "best_high"),
    "kmp_matcher": ("s",),
    "naive_string_matcher": ("s",),
    "quickselect": ("pivot",),
}
_PAIRS = ("binary_search", "find_maximum_subarray_kadane")
_SORTS = ("bubble_sort", "heapsort", "insertion_sort", "quicksort")


def format_clrs_example(algo: str, sample: Feedback, use_hints: bool = False) -> tuple[str, str]:
    """A batch of one sample as a question and its answer.

    With ``use_hints``, the question has the first hint of the outputs, and the answer the following ones.

    >>> from narscope.clrs import build_sampler
    >>> sampler, _ = build_sampler("insertion_sort", num_samples=-1, length=3, seed=1, truncate_decimals=2)
    >>> format_clrs_example("insertion_sort", sampler.next(1))
    ('insertion_sort:\\nkey: [0.79 0.03 0.19]\\npred:\\n', '[0.03 0.19 0.79]\\n\\n')
    """
    question, names, answer, shows_hints = sample_to_str(algo, sample, use_hints)
    trace = "trace | " if shows_hints else ""
    return f"{algo}:\n{question}\n{trace}{names}:\n", f"{answer}\n\n"


def sample_to_str(algo: str, sample: Feedback, use_hints: bool = False) -> tuple[str, str, str, bool]:
    """Inputs, names of outputs, outputs, and whether hints are shown: they are in inputs and outputs then."""
    if algo not in SPECS:
        raise InputError(f"unknown algorithm {algo!r}")
    if (samples := len(sample.features.lengths)) != 1:
        raise InputError(f"a text has one sample, found {samples}: draw them with next(batch_size=1)")
    inputs = ", ".join(
        f"{point.name}: {_text(_values(point), point)}" for point in sample.features.inputs if _is_shown(point)
    )
    keys = next((_values(point) for point in sample.features.inputs if point.name == "key"), None)
    keys = keys if algo in _SORTS else None
    names = [point.name for point in sample.outputs]
    answer = ", ".join(_text(_values(point), point, keys) for point in sample.outputs)
    if not (use_hints and algo in CLRS_TASKS_WITH_HINTS):
        return inputs, ", ".join(names), answer, False

    hints = _SHOWN_HINTS.get(algo) or tuple(f"{name}_h" for name in names)
    by_name = {point.name: point for point in sample.features.hints}
    steps = [
        ", ".join(_text(np.asarray(by_name[hint].data)[step, 0], by_name[hint], keys) for hint in hints)
        for step in range(int(sample.features.lengths[0]))
    ]
    names_of_hints = ", ".join(hints if algo in _SHOWN_HINTS else names)
    if algo in _PAIRS:
        steps, names_of_hints = [f"({step})" for step in steps], f"({names_of_hints})"
    # The last step is the answer.
    last = steps[-1] if algo in _SHOWN_HINTS else answer
    return (
        f"{inputs}, initial_trace: {steps[0]}",
        names_of_hints,
        f"{', '.join(steps[1:-1])} | {last}",
        True,
    )


def predecessors_to_order(x: np.ndarray) -> np.ndarray:
    """The nodes of a chain of pointers, from its head.

    >>> predecessors_to_order(np.array([2, 1, 1]))
    array([1, 2, 0])
    """
    pointers = np.asarray(x).astype(int)
    nodes = np.arange(pointers.size)
    head = np.flatnonzero(pointers == nodes)[0]
    successors = np.empty_like(nodes)
    followers = np.delete(nodes, head)
    successors[pointers[followers]] = followers
    order = np.empty_like(nodes)
    for place in nodes:
        order[place] = head
        head = successors[head]
    return order


def _is_shown(point: DataPoint) -> bool:
    """Positions and adjacency follow from the other inputs."""
    return point.name != "pos" and (point.location, point.type_) != (Location.EDGE, Type.MASK)


def _values(point: DataPoint) -> np.ndarray:
    return np.asarray(point.data)[0]


def _text(values: np.ndarray, point: DataPoint, keys: np.ndarray | None = None) -> str:
    """The values of a probe at one step. With ``keys``, pointers are shown as the keys in the order of their chain."""
    if point.type_ == Type.SCALAR:
        return _rows(values)
    if point.type_ in (Type.MASK_ONE, Type.CATEGORICAL):
        ignored = values.min(axis=-1) < 0
        return _rows(np.where(ignored, -1, values.argmax(axis=-1)))
    if keys is not None and point.type_ in (Type.POINTER, Type.SHOULD_BE_PERMUTATION):
        return _rows(keys[predecessors_to_order(values)])
    return _rows(np.asarray(values).astype(int))


def _rows(values: Any) -> str:
    """Numbers as Python writes them: one, a row, or rows."""
    values = np.asarray(values)
    if values.ndim == 0:
        return str(values.item())
    if values.ndim == 1:
        return f"[{' '.join(map(str, values.tolist()))}]"
    return f"[{', '.join(map(_rows, values))}]"
