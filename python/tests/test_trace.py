"""Traces of the user's own graphs and arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import narscope as ns

EDGES = [("Berlin", "Hamburg", 289.0), ("Berlin", "Prague", 350.0), ("Prague", "Vienna", 334.0)]


def before(sample: ns.Sample) -> dict[Any, Any]:
    """The predecessor of each node."""
    return {sample.names[node]: sample.names[other] for node, other in enumerate(sample.outputs["pi"])}


FROM_BERLIN = {"Berlin": "Berlin", "Hamburg": "Berlin", "Prague": "Berlin", "Vienna": "Prague"}


def test_a_list_of_edges_keeps_the_names_of_its_nodes() -> None:
    sample = ns.trace("bellman_ford", EDGES, source="Berlin")
    assert before(sample) == FROM_BERLIN and sample.directed is False
    assert sample.inputs["A"].max() == 350


def test_a_graph_of_networkx_is_read_with_its_weights_direction_and_nodes() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from(EDGES)
    assert before(ns.trace("dijkstra", graph, source="Berlin")) == FROM_BERLIN
    directed = networkx.DiGraph([(0, 1), (1, 2)])
    directed.add_node(3)
    sample = ns.trace("bfs", directed, source=0)
    assert sample.directed is True and sample.n == 4
    np.testing.assert_array_equal(sample.outputs["pi"], [0, 0, 1, 3])
    # Nodes come back as what they are, not as text.
    pairs = networkx.grid_graph((2, 2))
    assert sorted(ns.trace("bfs", pairs).names) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    with pytest.raises(ns.InputError, match="multigraph"):
        ns.trace("bfs", networkx.MultiGraph([(0, 1), (0, 1)]))


def test_a_sparse_matrix_is_the_same_graph_as_a_dense_one() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    for matrix in (dense, np.triu(dense)):
        one, other = ns.trace("bellman_ford", matrix), ns.trace("bellman_ford", sparse.csr_matrix(matrix))
        assert one.directed == other.directed == (not (matrix == matrix.T).all())
        for name, array in one.inputs.items():
            np.testing.assert_array_equal(array, other.inputs[name])
    with pytest.raises(ns.InputError, match="square"):
        ns.trace("bfs", sparse.csr_matrix(np.ones((2, 3))))


def test_arrays_of_any_type_and_layout_are_read() -> None:
    matrix = np.arange(16).reshape(4, 4) % 3
    expected = ns.trace("bfs", matrix.astype(float), directed=True)
    for same in (matrix, matrix.astype(np.uint8), np.asfortranarray(matrix), matrix[::-1][::-1], matrix.tolist()):
        np.testing.assert_array_equal(ns.trace("bfs", same, directed=True).hints["pi_h"], expected.hints["pi_h"])
    keys = np.array([0.5, 0.1, 0.9, 0.3])
    np.testing.assert_array_equal(ns.trace("minimum", keys[::-2]).inputs["key"], [0.3, 0.1])


def test_tables_strings_and_files_are_read(tmp_path: Path) -> None:
    points = {"x": [0.0, 1.0, 0.0, 0.2], "y": [0.0, 0.0, 1.0, 0.2]}
    np.testing.assert_array_equal(ns.trace("graham_scan", points).outputs["in_hull"], [1, 1, 1, 0])
    assert ns.trace("naive_string_matcher", ["abcd", "cd"]).n == 6
    assert ns.trace("binary_search", [0.1, 0.5, 0.9], target=0.4).n == 3
    cities = ns.trace("bellman_ford", "examples/cities.csv", source="Berlin")
    assert cities.n == 12 and before(cities)["Vienna"] == "Prague"
    with pytest.raises(FileNotFoundError, match="nothing.csv"):
        ns.trace("bfs", tmp_path / "nothing.csv")


def test_a_frame_is_a_list_of_edges_or_a_table() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(EDGES, columns=["source", "target", "weight"])
    assert before(ns.trace("bellman_ford", frame, source="Berlin")) == FROM_BERLIN
    points = pandas.DataFrame({"x": [0.0, 1.0, 0.0], "y": [0.0, 0.0, 1.0]})
    assert ns.trace("jarvis_march", points).n == 3


def test_own_algorithms_variants_are_traced_too() -> None:
    assert ns.trace("bellman_ford:greedy", EDGES).algorithm == "bellman_ford:greedy"


@pytest.mark.parametrize(
    ("instance", "sentence"),
    [
        (np.ones((2, 3)), "expected"),
        (np.ones((2, 2, 2)), "an instance is an array with one or two axes, found 3"),
        (np.array([[0.0, np.nan], [1.0, 0.0]]), "finite"),
        (np.array([["a", "b"]]), "should be an array of numbers, found one of type <U1"),
        ([[1.0, 2.0], [3.0]], "rows of different sizes"),
        ([("a", "b", "heavy")], "the weight of an edge should be a number, found 'heavy'"),
        ([("a",)], r"an edge should be (u, v) or (u, v, weight), found ('a',)"),
        ([(1, 2), ("1", 2)], "two nodes are both called '1'"),
        ([], "expected"),
    ],
)
def test_an_instance_that_is_no_graph_is_refused_with_a_sentence(instance: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        ns.trace("bfs", instance)
    assert sentence in str(caught.value)
