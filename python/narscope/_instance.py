"""What a user calls a graph, an array, a table or strings, in the forms that Rust reads."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from narscope._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    Instance: TypeAlias = (
        ArrayLike | Sequence[tuple[Any, ...]] | Mapping[str, Sequence[float]] | str | os.PathLike[str] | Any
    )
else:
    Instance: TypeAlias = Any


class Read(NamedTuple):
    """A form with its content, the nodes by the text they are known by in Rust, and whether edges have a direction."""

    form: str
    content: Any
    nodes: dict[str, Any] = {}
    directed: bool | None = None


def instance_of(given: Any) -> Read:
    """The form of what a user gave."""
    if isinstance(given, str | os.PathLike):
        return Read("file", os.fspath(given))
    # Packages are recognised by what their objects can do, so that none is imported.
    if hasattr(given, "adjacency") and hasattr(given, "is_directed"):
        return _networkx(given)
    if hasattr(given, "tocoo"):
        return _sparse(given)
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):
        return _frame(given)
    if isinstance(given, Mapping):
        return Read("table", [(str(name), values) for name, values in given.items()])
    items = given if isinstance(given, np.ndarray) else list(given)
    if isinstance(items, list) and items:
        if all(isinstance(item, str) for item in items):
            return Read("text", items)
        if all(isinstance(item, tuple) for item in items):
            return _edges(items)
    return Read("array", items)


def _networkx(graph: Any) -> Read:
    if graph.is_multigraph():
        raise InputError(
            "expected a graph with one edge between two nodes, found a multigraph: convert it with networkx.Graph(graph) "
            "or networkx.DiGraph(graph)"
        )
    edges = [(u, v, data.get("weight", 1)) for u, v, data in graph.edges(data=True)]
    return _edge_list(list(graph.nodes), edges, graph.is_directed())


def _sparse(matrix: Any) -> Read:
    """A sparse matrix: a symmetric one is undirected, as an array is."""
    rows, columns = matrix.shape
    if rows != columns:
        raise InputError(f"expected a square matrix of edges, found one of {rows} x {columns}")
    coordinates = matrix.tocoo()
    entries: dict[tuple[int, int], float] = {}
    for source, target, weight in zip(coordinates.row, coordinates.col, coordinates.data, strict=True):
        place = (int(source), int(target))
        # A sparse matrix may list an entry several times; they are summed.
        entries[place] = entries.get(place, 0.0) + float(weight)
    entries = {place: weight for place, weight in entries.items() if weight != 0}
    is_symmetric = all(entries.get((v, u)) == weight for (u, v), weight in entries.items())
    edges = [(u, v, weight) for (u, v), weight in entries.items() if not is_symmetric or u <= v]
    return _edge_list(list(range(rows)), edges, not is_symmetric)


def _frame(frame: Any) -> Read:
    """A DataFrame: edges if it has columns for their ends, as in files; a table otherwise."""
    ends = (("source", "target"), ("from", "to"), ("u", "v"))
    names = [str(name) for name in frame.columns]
    for source, target in ends:
        if source in names and target in names:
            weight = next((name for name in ("weight", "w") if name in names), None)
            weights = [1.0] * len(frame) if weight is None else frame[weight].tolist()
            return _edges(list(zip(frame[source].tolist(), frame[target].tolist(), weights, strict=True)))
    return Read("table", [(name, frame[name].to_numpy()) for name in names])


def _edges(edges: Sequence[tuple[Any, ...]]) -> Read:
    """A list of edges without or with weights."""
    for edge in edges:
        if len(edge) not in (2, 3):
            raise InputError(f"an edge should be (u, v) or (u, v, weight), found {edge!r}")
    nodes = list(dict.fromkeys(end for edge in edges for end in edge[:2]))
    with_weights = [(edge[0], edge[1], edge[2] if len(edge) == 3 else 1.0) for edge in edges]
    return _edge_list(nodes, with_weights, None)


def _edge_list(nodes: list[Any], edges: Sequence[tuple[Any, Any, Any]], directed: bool | None) -> Read:
    labels = [str(node) for node in nodes]
    by_label = dict(zip(labels, nodes, strict=True))
    if len(by_label) != len(nodes):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(f"two nodes are both called {twice!r}: give them different names")
    places = {node: place for place, node in enumerate(nodes)}
    try:
        listed = [(places[u], places[v], float(weight)) for u, v, weight in edges]
    except (TypeError, ValueError):
        wrong = next(weight for _, _, weight in edges if not _is_number(weight))
        raise InputError(f"the weight of an edge should be a number, found {wrong!r}") from None
    return Read("edges", (labels, listed, None if directed is None else bool(directed)), by_label)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
