"""Data points, and the functions that algorithms build their probes with."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from narscope.clrs import _pytrees
from narscope.clrs.specs import Location, Spec, Stage, Type

ProbesDict = dict[str, dict[str, dict[str, dict[str, Any]]]]


class DataPoint:
    """A named array with its location and type. A pytree if JAX is imported.

    >>> import numpy as np
    >>> DataPoint("key", Location.NODE, Type.SCALAR, np.zeros((2, 4))).data.shape
    (2, 4)
    """

    __slots__ = ("_location", "_name", "_type_", "data")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str, location: str, type_: str, data: Any) -> None:
        self._name = name
        self._location = location
        self._type_ = type_
        self.data = data

    @property
    def name(self) -> str:
        """The name of the probe."""
        return self._name

    @property
    def location(self) -> str:
        """One of :class:`Location`."""
        return self._location

    @property
    def type_(self) -> str:
        """One of :class:`Type`."""
        return self._type_

    def __repr__(self) -> str:
        shape = getattr(self.data, "shape", ())
        return (
            f'DataPoint(name="{self.name}",\tlocation={self.location},\t'
            f"type={self.type_},\tdata=Array{tuple(shape)})"
        )

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DataPoint):
            return NotImplemented
        mine, theirs = self.tree_flatten()[1], other.tree_flatten()[1]
        return self.data == other.data if mine == theirs else False

    def tree_flatten(self) -> tuple[tuple[Any], tuple[str, str, str]]:
        """The array, and what does not change when a function is mapped over arrays."""
        return (self.data,), (self.name, self.location, self.type_)

    @classmethod
    def tree_unflatten(cls, meta: tuple[str, str, str], children: tuple[Any]) -> "DataPoint":
        """Inverse of :meth:`tree_flatten`."""
        name, location, type_ = meta
        return cls(name, location, type_, children[0])


_pytrees.register_with_jax(DataPoint)


def initialize(spec: Spec) -> ProbesDict:
    """Empty probes of an algorithm, to be filled by :func:`push`."""
    probes: ProbesDict = {
        stage: {location: {} for location in (Location.NODE, Location.EDGE, Location.GRAPH)}
        for stage in (Stage.INPUT, Stage.OUTPUT, Stage.HINT)
    }
    for name, (stage, location, type_) in spec.items():
        probes[stage][location][name] = {"data": [], "type_": type_}
    return probes


def push(probes: ProbesDict, stage: str, next_probe: Mapping[str, Any]) -> None:
    """Records the values of all probes of a stage; hints once per step.

    Raises:
        ValueError: if a probe of the stage has no value.
    """
    for location in probes[stage].values():
        for name, probe in location.items():
            if name not in next_probe:
                raise ValueError(f"{stage} {name} has no value; next_probe has {sorted(next_probe)}")
            probe["data"].append(np.array(next_probe[name]))


def finalize(probes: ProbesDict) -> None:
    """Stacks what was pushed: hints over steps; inputs and outputs have one value."""
    for stage, locations in probes.items():
        for location in locations.values():
            for probe in location.values():
                stacked = np.stack(probe["data"])
                probe["data"] = stacked if stage == Stage.HINT else np.squeeze(stacked)


def split_stages(
    probes: ProbesDict, spec: Spec
) -> tuple[list[DataPoint], list[DataPoint], list[DataPoint]]:
    """Inputs, outputs and hints as data points with a batch axis of one.

    Raises:
        ValueError: if a mask or a class has another value than -1, 0 or 1, or a type is not that of the spec.
    """
    stages: dict[str, list[DataPoint]] = {Stage.INPUT: [], Stage.OUTPUT: [], Stage.HINT: []}
    for name, (stage, location, type_) in spec.items():
        probe = probes[stage][location][name]
        if probe["type_"] != type_:
            raise ValueError(f"{stage} {name} must be of type {type_}, found {probe['type_']}")
        data = np.asarray(probe["data"])
        _check_values(f"{stage} {name}", type_, data)
        axis = 1 if stage == Stage.HINT else 0
        stages[stage].append(DataPoint(name, location, type_, np.expand_dims(data, axis)))
    return stages[Stage.INPUT], stages[Stage.OUTPUT], stages[Stage.HINT]


def _check_values(what: str, type_: str, data: np.ndarray) -> None:
    if type_ in (Type.MASK, Type.MASK_ONE, Type.CATEGORICAL) and not np.isin(data, (-1, 0, 1)).all():
        raise ValueError(f"{what} of type {type_} must have values -1, 0 and 1")
    if type_ in (Type.MASK_ONE, Type.CATEGORICAL) and not (np.abs(data).sum(-1) == 1).all():
        raise ValueError(f"{what} of type {type_} must have one value that is not 0 along its last axis")


def array(A_pos: np.ndarray) -> np.ndarray:
    """Pointers of nodes in this order: each to the one before it, the first to itself.

    >>> array(np.array([2, 0, 1]))
    array([2, 0, 2])
    """
    order = np.asarray(A_pos)
    pointers = np.arange(order.size)
    pointers[order[1:]] = order[:-1]
    return pointers


def array_cat(A: np.ndarray, n: int) -> np.ndarray:
    """Values below ``n`` as one-hot rows."""
    return np.eye(n)[np.asarray(A)]


def heap(A_pos: np.ndarray, heap_size: int) -> np.ndarray:
    """Pointers of the nodes of a heap to their parents; the root and nodes outside point to themselves."""
    order = np.asarray(A_pos)
    pointers = np.arange(order.size)
    places = np.arange(1, heap_size)
    pointers[order[places]] = order[(places - 1) // 2]
    return pointers


def graph(A: np.ndarray) -> np.ndarray:
    """Mask of the edges of a weight matrix; every node is its own neighbour."""
    weights = np.asarray(A)
    return (weights + np.eye(len(weights)) != 0).astype(float)


def mask_one(i: int, n: int) -> np.ndarray:
    """One-hot vector of length ``n``.

    >>> mask_one(1, 3)
    array([0., 1., 0.])
    """
    mask = np.zeros(n)
    mask[i] = 1
    return mask


def strings_id(T_pos: np.ndarray, P_pos: np.ndarray) -> np.ndarray:
    """0 for the letters of the first string, 1 for those of the second."""
    return np.repeat([0.0, 1.0], [len(T_pos), len(P_pos)])


def strings_pair(pair_probe: np.ndarray) -> np.ndarray:
    """Values of pairs of letters of two strings as values of edges; other edges have 0."""
    first, second = pair_probe.shape
    edges = np.zeros((first + second, first + second))
    edges[:first, first:] = pair_probe
    return edges


def strings_pair_cat(pair_probe: np.ndarray, nb_classes: int) -> np.ndarray:
    """Classes of pairs of letters as one-hot vectors of edges; other edges have -1 for an additional class."""
    first, second = pair_probe.shape
    edges = np.zeros((first + second, first + second, nb_classes + 1))
    edges[..., nb_classes] = -1
    edges[:first, first:] = np.eye(nb_classes + 1)[pair_probe]
    return edges


def strings_pi(T_pos: np.ndarray, P_pos: np.ndarray, pi: np.ndarray) -> np.ndarray:
    """Pointers among the letters of the second string; letters of the first point to themselves."""
    first = len(T_pos)
    return np.concatenate([np.arange(first), first + np.asarray(pi)[: len(P_pos)]])


def strings_pos(T_pos: np.ndarray, P_pos: np.ndarray) -> np.ndarray:
    """Positions of letters, as a fraction of the length of their string."""
    return np.concatenate([np.arange(len(string)) / len(string) for string in (T_pos, P_pos)])


def strings_pred(T_pos: np.ndarray, P_pos: np.ndarray) -> np.ndarray:
    """Pointers of letters to the one before them in their string; the first letters point to themselves."""
    first, second = len(T_pos), len(P_pos)
    return np.concatenate([array(np.arange(first)), first + array(np.arange(second))])


def predecessor_to_cyclic_predecessor_and_first(pointers: Any) -> tuple[np.ndarray, np.ndarray]:
    """Closes a chain of pointers to a cycle.

    Returns the matrix of the cycle, where the head of the chain points to its tail, and the head as a one-hot vector.

    >>> cycle, head = predecessor_to_cyclic_predecessor_and_first(np.array([2, 1, 1]))
    >>> cycle.tolist(), head.tolist()
    ([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0.0, 1.0, 0.0])
    """
    chain = np.asarray(pointers).astype(int)
    one_hot = np.eye(chain.size, dtype=np.float32)
    cycle = one_hot[chain]
    head, tail = cycle.diagonal().argmax(), cycle.sum(axis=0).argmin()
    cycle[head, tail] += 1
    cycle[head, head] -= 1
    return cycle, one_hot[head]


def predecessor_pointers_to_permutation_matrix(pointers: Any) -> np.ndarray:
    """The matrix that sorts nodes: row ``r`` marks the node of rank ``r`` in the chain."""
    chain = np.asarray(pointers).astype(int)
    nodes = chain.size
    cycle, _ = predecessor_to_cyclic_predecessor_and_first(chain)
    node = int(np.bincount(chain, minlength=nodes).argmin())
    predecessors = cycle.argmax(axis=1)
    matrix = np.zeros((nodes, nodes), dtype=np.float32)
    for rank in reversed(range(nodes)):
        matrix[rank, node] = 1
        node = predecessors[node]
    return matrix


def permutation_matrix_to_predecessor_pointers(perm: Any) -> np.ndarray:
    """Inverse of :func:`predecessor_pointers_to_permutation_matrix`."""
    order = np.asarray(perm).argmax(axis=1)
    return array(order).astype(np.float32)
