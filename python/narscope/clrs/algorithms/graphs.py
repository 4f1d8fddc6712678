"""Algorithms on graphs, given as weight matrices where 0 is no edge. Each returns its output and the probes."""

import numpy as np

from narscope.clrs import probing
from narscope.clrs.algorithms import _run
from narscope.clrs.probing import ProbesDict


def _of_graph(name: str, output: str, A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    probes = _run.run(name, A=A)
    return _run.output(probes, output), probes


def _from_source(name: str, A: np.ndarray, s: int) -> tuple[np.ndarray, ProbesDict]:
    probes = _run.run(name, A=A, s=probing.mask_one(s, len(A)))
    return _run.output(probes, "pi"), probes


def dfs(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The parents of nodes in depth-first search."""
    return _of_graph("dfs", "pi", A)


def bfs(A: np.ndarray, s: int) -> tuple[np.ndarray, ProbesDict]:
    """The parents of nodes in breadth-first search from ``s``.

    >>> bfs(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]), 0)[0]
    array([0, 0, 1])
    """
    return _from_source("bfs", A, s)


def topological_sort(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The successor of each node in topological order."""
    return _of_graph("topological_sort", "topo", A)


def articulation_points(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The mask of the nodes whose removal disconnects the graph."""
    return _of_graph("articulation_points", "is_cut", A)


def bridges(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The mask of the edges whose removal disconnects the graph."""
    return _of_graph("bridges", "is_bridge", A)


def strongly_connected_components(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """A node of the component of each node."""
    return _of_graph("strongly_connected_components", "scc_id", A)


def mst_kruskal(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The mask of the edges of a minimum spanning tree."""
    return _of_graph("mst_kruskal", "in_mst", A)


def mst_prim(A: np.ndarray, s: int) -> tuple[np.ndarray, ProbesDict]:
    """The parents of nodes in a minimum spanning tree with root ``s``."""
    return _from_source("mst_prim", A, s)


def bellman_ford(A: np.ndarray, s: int) -> tuple[np.ndarray, ProbesDict]:
    """The parents of nodes on shortest paths from ``s``."""
    return _from_source("bellman_ford", A, s)


def dijkstra(A: np.ndarray, s: int) -> tuple[np.ndarray, ProbesDict]:
    """The parents of nodes on shortest paths from ``s``; weights are not negative."""
    return _from_source("dijkstra", A, s)


def dag_shortest_paths(A: np.ndarray, s: int) -> tuple[np.ndarray, ProbesDict]:
    """The parents of nodes on shortest paths from ``s`` in a graph without cycles."""
    return _from_source("dag_shortest_paths", A, s)


def floyd_warshall(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """For every pair of nodes, the last node before the second on a shortest path from the first."""
    return _of_graph("floyd_warshall", "Pi", A)


def bipartite_matching(A: np.ndarray, n: int, m: int, s: int, t: int) -> tuple[np.ndarray, ProbesDict]:
    """The mask of the edges of a maximum matching. ``n`` nodes follow the source ``s``, then ``m`` before ``t``."""
    nodes = len(A)
    source, sink = probing.mask_one(s, nodes), probing.mask_one(t, nodes)
    probes = _run.run("bipartite_matching", A=A, s=source, t=sink)
    return _run.output(probes, "in_matching"), probes
