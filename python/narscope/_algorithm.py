"""Algorithms that are written in Python.

A generator that yields its state at every step and returns its outputs becomes an algorithm like the built-in ones:
for samples, streams, training and analyses.

>>> import narscope as ns
>>> @ns.algorithm(
...     spec={
...         "key": ("input", "node", "scalar"),
...         "min_h": ("hint", "node", "mask_one"),
...         "min": ("output", "node", "mask_one"),
...     },
...     instance="array",
... )
... def running_minimum(key):
...     smallest = 0
...     for i in range(len(key)):
...         if key[i] < key[smallest]:
...             smallest = i
...         yield {"min_h": smallest}
...     return {"min": smallest}
>>> ns.sample("running_minimum", n=8, num=4).hints["min_h"].shape
(8, 4, 8)
>>> running_minimum.trace(key=[3.0, 1.0, 2.0]).outputs["min"]
array([0., 1., 0.])
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from narscope import _narscope
from narscope._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from narscope._batch import Sample

    Arrays = list[NDArray[np.float64]]

__all__ = ["INSTANCES", "Algorithm", "algorithm"]

#: A row of a spec: stage, location, type, and the classes (names, or how many) if the type is categorical.
Row = tuple[str, str, str] | tuple[str, str, str, int | Sequence[str]]

#: Draws an instance: inputs by name, from a generator and the number of nodes.
Sampler = Callable[[np.random.Generator, int], Mapping[str, Any]]

#: Short names for kinds of instances, and the built-in algorithm whose instances they are.
INSTANCES: Mapping[str, str] = {
    "array": "minimum",
    "sorted_array": "binary_search",
    "intervals": "activity_selector",
    "tasks": "task_scheduling",
    "strings": "naive_string_matcher",
    "points": "graham_scan",
    "graph": "bfs",
    "weighted_graph": "dijkstra",
    "directed_graph": "strongly_connected_components",
    "dag": "topological_sort",
    "weighted_dag": "dag_shortest_paths",
    "bipartite_graph": "bipartite_matching",
}

_AXES = {"node": 1, "edge": 2, "graph": 0}
_POSITIONS = "pos"


class _Probe:
    """A row of a spec, and its two layouts: natural, as functions see it, and the reference's, as arrays have it."""

    def __init__(self, algorithm: str, name: str, row: Any) -> None:
        if not isinstance(row, tuple | list) or not 3 <= len(row) <= 4:
            raise InputError(
                f"{algorithm}: the spec of {name} should be (stage, location, type) or, for categorical, "
                f"(stage, location, type, classes), found {row!r}"
            )
        self.name = name
        self.stage, self.location, self.kind = (str(part) for part in row[:3])
        if self.location not in _AXES:
            raise InputError(f"{algorithm}: the location of {name} should be node, edge or graph, found {self.location!r}")
        classes = row[3] if len(row) == 4 else ()
        self.classes = [str(i) for i in range(classes)] if isinstance(classes, int) else [str(c) for c in classes]

    @property
    def row(self) -> tuple[str, str, str, str, list[str]]:
        return (self.name, self.stage, self.location, self.kind, self.classes)

    def natural_shape(self, n: int) -> tuple[int, ...]:
        axes = _AXES[self.location] - (self.kind == "mask_one")
        return (n,) * axes

    def choices(self, n: int) -> int | None:
        """The length of the axis that the reference adds: its values are one-hot there."""
        return {"mask_one": n, "categorical": len(self.classes)}.get(self.kind)

    def natural(self, dense: NDArray[Any], n: int) -> Any:
        """What a function gets of an input: an index in place of a one-hot vector, a number in place of no axes."""
        choices = self.choices(n)
        if choices is not None:
            # An ignored class is marked by -1.
            dense = np.abs(dense.reshape(*self.natural_shape(n), choices)).argmax(axis=-1)
        else:
            dense = dense.reshape(self.natural_shape(n))
            if self.kind in ("pointer", "should_be_permutation"):
                dense = dense.astype(np.int64)
        return dense.item() if dense.ndim == 0 else dense

    def dense(self, value: Any, n: int, where: str) -> NDArray[Any]:
        """A value that a function gives, flat and in the reference's layout. A copy: the function may change its own."""
        shape, choices = self.natural_shape(n), self.choices(n)
        if self.kind == "categorical":
            value = self._class_indices(value, where)
        try:
            array = np.asarray(value)
        except ValueError:
            raise InputError(f"{where} should be an array of numbers, found rows of different sizes") from None
        if array.dtype.kind not in "biuf":
            raise InputError(f"{where} should be numbers, found {_describe(array, value)}")
        if choices is not None and array.shape == shape:
            return self._one_hot(array, choices, where)
        expected = shape if choices is None else (*shape, choices)
        if array.shape != expected:
            other = "" if choices is None else f", or indices of shape {shape}"
            raise InputError(f"{where} should have the shape {expected}{other}, found {array.shape}")
        return np.array(array, dtype=np.float64, order="C").reshape(-1)

    def _one_hot(self, indices: NDArray[Any], choices: int, where: str) -> NDArray[Any]:
        fits = (indices >= 0) & (indices < choices) & (indices == np.floor(indices))
        if not np.all(fits):
            wrong = indices[~fits].flat[0] if indices.ndim else indices.item()
            raise InputError(f"{where} should be whole numbers from 0 to {choices - 1}, found {wrong}")
        dense = np.zeros((indices.size, choices))
        dense[np.arange(indices.size), indices.reshape(-1).astype(np.int64)] = 1.0
        return dense.reshape(-1)

    def _class_indices(self, value: Any, where: str) -> Any:
        names = np.asarray(value)
        if names.dtype.kind not in "UO":
            return value
        unknown = [name for name in names.reshape(-1).tolist() if name not in self.classes]
        if unknown:
            raise InputError(f"{where} should be one of {', '.join(self.classes)}, found {unknown[0]!r}")
        indices = [self.classes.index(name) for name in names.reshape(-1).tolist()]
        return np.array(indices, dtype=np.int64).reshape(names.shape)


def _describe(array: NDArray[Any], value: Any) -> str:
    return type(value).__name__ if array.dtype == object else f"an array of type {array.dtype}"


class Algorithm:
    """An algorithm that is written in Python; made by :func:`algorithm`.

    Calling it calls the function that it was made of.
    """

    def __init__(
        self,
        function: Callable[..., Iterator[Mapping[str, Any]]],
        *,
        name: str | None,
        spec: Mapping[str, Row],
        instance: str | Sampler,
        category: str | None,
        summary: str | None,
    ) -> None:
        self.name = name if name is not None else function.__name__
        self._function = function
        self._probes = [_Probe(self.name, probe, row) for probe, row in spec.items()]
        self.__doc__ = function.__doc__
        self.__name__ = self.name
        own_inputs = [probe for probe in self._probes if probe.stage == "input"]
        if all(probe.name != _POSITIONS for probe in own_inputs):
            own_inputs.insert(0, _Probe(self.name, _POSITIONS, ("input", "node", "scalar")))
        self._inputs = own_inputs
        self._hints = [probe for probe in self._probes if probe.stage == "hint"]
        self._outputs = [probe for probe in self._probes if probe.stage == "output"]
        self._parameters = self._read_parameters()
        others = [probe for probe in self._probes if probe.stage != "input"]
        instances, draw = (None, self._draw) if callable(instance) else (INSTANCES.get(instance, instance), None)
        self._sampler = instance
        lines = (function.__doc__ or "").strip().splitlines()
        _narscope.define_algorithm(
            self.name,
            summary if summary is not None else (lines[0].rstrip(".") if lines else "written in Python"),
            category,
            [probe.row for probe in [*self._inputs, *others]],
            instances,
            draw,
            self._run,
        )

    def __repr__(self) -> str:
        return f"<narscope algorithm {self.name}({', '.join(self._parameters)})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Iterator[Mapping[str, Any]]:
        return self._function(*args, **kwargs)

    def trace(self, **inputs: Any) -> Sample:
        """Runs the algorithm on one instance, given by its inputs. ``pos`` is filled in.

        :raises ValueError: if an input is missing, unknown, or of the wrong shape or kind.
        """
        from narscope._batch import Batch

        n = self._count_nodes(inputs)
        dense = self._dense_inputs(inputs, n, f"{self.name}: the input")
        return Batch._of(self.name, _narscope.run_algorithm(self.name, n, dense))[0]

    def _read_parameters(self) -> list[str]:
        """The inputs that the function takes."""
        names = [probe.name for probe in self._inputs]
        taken = []
        for parameter in inspect.signature(self._function).parameters.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                return names
            if parameter.name not in names:
                if parameter.default is not inspect.Parameter.empty:
                    continue
                raise InputError(
                    f"{self.name} takes {parameter.name}, which is no input of its spec: inputs are {', '.join(names)}"
                )
            taken.append(parameter.name)
        return taken

    def _count_nodes(self, inputs: Mapping[str, Any]) -> int:
        for probe in self._inputs:
            if probe.name in inputs and probe.natural_shape(1):
                return len(inputs[probe.name])
        raise InputError(f"{self.name}: at least one input should have a value per node, to tell how many nodes there are")

    def _dense_inputs(self, inputs: Mapping[str, Any], n: int, what: str) -> Arrays:
        if not isinstance(inputs, Mapping):
            raise InputError(f"{what} should be a dictionary, found {type(inputs).__name__}")
        given = {_POSITIONS: np.arange(n) / n, **inputs}
        return _all_dense(self._inputs, given, n, what)

    def _draw(self, seed: int, n: int) -> Arrays:
        assert callable(self._sampler)
        drawn = self._sampler(np.random.default_rng(seed), n)
        return self._dense_inputs(drawn, n, f"{self.name}: the sampler's")

    def _run(self, n: int, inputs: Arrays) -> tuple[list[Arrays], Arrays]:
        """Runs the function on inputs in the reference's layout; returns hints of all steps, and outputs."""
        values = {probe.name: probe.natural(array, n) for probe, array in zip(self._inputs, inputs)}
        running = self._function(**{name: values[name] for name in self._parameters})
        if not inspect.isgenerator(running):
            raise InputError(
                f"{self.name} should yield its hints at every step and return its outputs; it has no yield"
            )
        hints: list[Arrays] = []
        while True:
            try:
                state = next(running)
            except StopIteration as end:
                output = end.value
                break
            hints.append(_all_dense(self._hints, state, n, f"{self.name}: step {len(hints)}, the hint"))
        if output is None:
            names = ", ".join(f"{probe.name!r}: …" for probe in self._outputs)
            raise InputError(f"{self.name} should end with its outputs: return {{{names}}}")
        return hints, _all_dense(self._outputs, output, n, f"{self.name}: the output")


def _all_dense(probes: list[_Probe], values: Any, n: int, what: str) -> Arrays:
    if not isinstance(values, Mapping):
        raise InputError(f"{what}s should be a dictionary by name, found {type(values).__name__}")
    names = [probe.name for probe in probes]
    missing = [name for name in names if name not in values]
    if missing:
        raise InputError(f"{what} {missing[0]!r} is missing: found {', '.join(map(str, values)) or 'nothing'}")
    unknown = [name for name in values if name not in names]
    if unknown:
        raise InputError(f"{what} {unknown[0]!r} is not in the spec, which has {', '.join(names)}")
    return [probe.dense(values[probe.name], n, f"{what} {probe.name!r}") for probe in probes]


def algorithm(
    function: Callable[..., Iterator[Mapping[str, Any]]] | None = None,
    /,
    *,
    spec: Mapping[str, Row],
    instance: str | Sampler,
    name: str | None = None,
    category: str | None = None,
    summary: str | None = None,
) -> Any:
    """Makes an algorithm of a generator function.

    The function takes inputs by name. It yields a dictionary of all hints at every step, and returns a dictionary of all
    outputs. Values are natural: a node is its number where the spec says ``mask_one``, a class its number or name where
    it says ``categorical``; one-hot arrays are taken, too. A value is copied when it is yielded, so that a function may
    yield the same array again and change it.

    :param spec: ``{name: (stage, location, type)}`` with the constants of ``narscope.clrs`` or their values; a fourth
        item has the classes of a categorical probe. The input ``pos`` is added.
    :param instance: what the function runs on: a key of :data:`INSTANCES`, the name of a built-in algorithm whose
        instances are used, or a function ``sample(rng, n)`` that returns the inputs, drawn by a NumPy generator.
    :param name: the name; that of the function by default. A second definition replaces the first.
    :param category: the chapter that it is listed in; that of the instance by default.
    :param summary: what it does; the first line of the function's documentation by default.
    :raises ValueError: if the spec is not one, or the name is that of a built-in algorithm.
    """

    def make(function: Callable[..., Iterator[Mapping[str, Any]]]) -> Algorithm:
        return Algorithm(
            function, name=name, spec=spec, instance=instance, category=category, summary=summary
        )

    return make if function is None else make(function)
