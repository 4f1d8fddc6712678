"""Algorithms that are written in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import narscope as ns


def chained(order: list[int]) -> np.ndarray:
    """Each node points to the one before it in the order; the first points to itself."""
    pointers = np.empty(len(order), dtype=int)
    pointers[order[0]] = order[0]
    pointers[order[1:]] = order[:-1]
    return pointers


SORTING = {
    "key": ("input", "node", "scalar"),
    "pred_h": ("hint", "node", "pointer"),
    "i": ("hint", "node", "mask_one"),
    "j": ("hint", "node", "mask_one"),
    "pred": ("output", "node", "should_be_permutation"),
}


def insertion_sort(key: np.ndarray) -> Any:
    """Inserts each key into the sorted keys before it."""
    n = len(key)
    order = list(range(n))
    yield {"pred_h": chained(order), "i": 0, "j": 0}
    for j in range(1, n):
        i = j
        while i > 0 and key[order[i - 1]] > key[j]:
            order[i - 1], order[i] = order[i], order[i - 1]
            i -= 1
        displaced = i + 1 if i < j else j
        yield {"pred_h": chained(order), "i": order[displaced], "j": j}
    return {"pred": chained(order)}


def reach(s: int, A: np.ndarray) -> Any:
    n = len(A)
    reached = np.zeros(n, dtype=bool)
    reached[s] = True
    parents = np.arange(n)
    # The same arrays at every step, changed in between.
    state = {"reach_h": reached, "pi_h": parents}
    while True:
        yield state
        before = reached.copy()
        for u in np.flatnonzero(before):
            for v in np.flatnonzero(A[u]):
                if not reached[v]:
                    reached[v] = True
                    parents[v] = u
        if (before == reached).all():
            return {"pi": parents}


REACH = {
    "s": ("input", "node", "mask_one"),
    "A": ("input", "edge", "scalar"),
    "adj": ("input", "edge", "mask"),
    "reach_h": ("hint", "node", "mask"),
    "pi_h": ("hint", "node", "pointer"),
    "pi": ("output", "node", "pointer"),
}


def assert_same(own: ns.Batch, built_in: ns.Batch) -> None:
    assert np.array_equal(own.lengths, built_in.lengths)
    for stage in ("inputs", "hints", "outputs"):
        mine, other = getattr(own, stage), getattr(built_in, stage)
        assert set(mine) == set(other)
        for name in mine:
            assert np.array_equal(mine[name], other[name]), f"{stage} {name}"


@pytest.mark.parametrize("n", [2, 9, 16])
def test_an_own_insertion_sort_equals_the_built_in_one(n: int) -> None:
    ns.algorithm(insertion_sort, name="own_insertion_sort", spec=SORTING, instance="insertion_sort")
    own = ns.sample("own_insertion_sort", n=n, num=20, seed=5)
    built_in = ns.sample("insertion_sort", n=n, num=20, seed=5)
    # A hint that is declared as a pointer has the type of one.
    assert_same(own, built_in)


def test_an_own_breadth_first_search_equals_the_built_in_one() -> None:
    own = ns.algorithm(reach, name="own_bfs", spec=REACH, instance="graph")
    for options in ({}, {"p": 0.2, "directed": True}, {"family": "grid"}):
        assert_same(ns.sample(own, n=9, num=10, seed=3, **options), ns.sample("bfs", n=9, num=10, seed=3, **options))
    graph = [("a", "b"), ("b", "c")]
    assert ns.trace(own, graph).outputs["pi"].tolist() == ns.trace("bfs", graph).outputs["pi"].tolist()


def test_an_own_algorithm_is_listed_and_streamed() -> None:
    own = ns.algorithm(insertion_sort, name="own_listed", spec=SORTING, instance="array")
    assert ns.algorithms()["own_listed"].summary == "Inserts each key into the sorted keys before it"
    stream = ns.Stream(own, n=[4, 5], batch=2, seed=1)
    assert [next(stream).n for _ in range(3)] == [4, 5, 4]
    assert list(own(np.array([2.0, 1.0])))[0]["j"] == 0, "it is still the function"


def test_one_instance_is_traced_by_its_inputs() -> None:
    own = ns.algorithm(insertion_sort, name="own_traced", spec=SORTING, instance="array")
    traced = own.trace(key=[0.3, 0.1, 0.2])
    assert traced.outputs["pred"].tolist() == [2, 1, 1]
    assert traced.inputs["pos"].tolist() == [0, 1 / 3, 2 / 3]
    assert traced.length == 3
    with pytest.raises(ValueError, match="the input 'key' is missing"):
        own.trace(pos=[0.0, 0.5])
    with pytest.raises(ValueError, match="the input 'keys' is not in the spec, which has pos, key"):
        own.trace(key=[0.1], keys=[0.1])


def test_a_network_is_trained_on_an_own_algorithm_and_analysed(tmp_path: Path) -> None:
    own = ns.algorithm(reach, name="own_trained", spec=REACH, instance="graph")
    run = ns.train(
        own,
        out=tmp_path / "run",
        processor="pgn",
        steps=4,
        hidden_size=8,
        train_lengths=[4, 5],
        batch_size=4,
        eval_every=2,
    )
    assert run.algorithms == ["own_trained"]
    scores = run.evaluate(n=6, num=4)
    assert 0 <= scores.mean <= 1
    prediction = run.predict(ns.sample(own, n=6, num=4), hidden=True)
    assert prediction.outputs["pi"].shape == (4, 6)
    answer = ns.analyse(run, "score", n=6, scored=4)
    assert answer.name == "score"
    again = ns.Run.load(run.path)
    assert again.evaluate(n=6, num=4).mean == scores.mean


def test_instances_of_an_own_sampler_depend_on_the_seed_only() -> None:
    def draw(rng: np.random.Generator, n: int) -> dict[str, Any]:
        return {"colour": rng.integers(0, 3, n), "weight": rng.random((n, n))}

    spec = {
        "colour": ("input", "node", "categorical", ["red", "green", "blue"]),
        "weight": ("input", "edge", "scalar"),
        "seen": ("hint", "node", "categorical", 2),
        "count": ("hint", "graph", "scalar"),
        "heaviest": ("output", "node", "pointer"),
        "any": ("output", "graph", "mask"),
    }

    def colours(colour: np.ndarray, weight: np.ndarray) -> Any:
        assert colour.dtype.kind == "i" and weight.shape == (len(colour),) * 2
        for i in range(len(colour)):
            yield {"seen": ["1" if j <= i else "0" for j in range(len(colour))], "count": float(i)}
        return {"heaviest": weight.argmax(axis=1), "any": bool((colour == 0).any())}

    ns.algorithm(colours, name="own_sampler", spec=spec, instance=draw)
    one, again = (ns.sample("own_sampler", n=5, num=3, seed=2) for _ in range(2))
    assert_same(one, again)
    other = ns.sample("own_sampler", n=5, num=3, seed=3)
    assert not np.array_equal(one.inputs["weight"], other.inputs["weight"])
    assert one.inputs["colour"].shape == (3, 5, 3)
    assert one.hints["seen"][1, 0].argmax(axis=-1).tolist() == [1, 1, 0, 0, 0]
    assert one.outputs["heaviest"].tolist() == one.inputs["weight"].argmax(axis=2).tolist()


def test_a_second_definition_replaces_the_first() -> None:
    def constant(value: float) -> Any:
        def body(key: np.ndarray) -> Any:
            yield {"h": key}
            return {"y": value}

        return body

    spec = {
        "key": ("input", "node", "scalar"),
        "h": ("hint", "node", "scalar"),
        "y": ("output", "graph", "scalar"),
    }
    for value in (1.0, 2.0):
        ns.algorithm(constant(value), name="own_replaced", spec=spec, instance="array")
        assert ns.sample("own_replaced", n=4, num=1).outputs["y"].tolist() == [value]


def defined(body: Any, **changes: Any) -> Any:
    arguments: dict[str, Any] = {
        "name": "own_faulty",
        "spec": {
            "key": ("input", "node", "scalar"),
            "x": ("hint", "node", "scalar"),
            "at": ("hint", "node", "mask_one"),
            "y": ("output", "node", "pointer"),
        },
        "instance": "array",
    }
    return ns.algorithm(body, **{**arguments, **changes})


def test_what_the_function_raises_comes_back_as_it_is() -> None:
    class Own(Exception):
        pass

    def body(key: np.ndarray) -> Any:
        yield {"x": key, "at": 0}
        raise Own("of mine")

    defined(body)
    with pytest.raises(Own, match="^of mine$") as caught:
        ns.sample("own_faulty", n=4, num=2)
    assert caught.traceback[-1].name == "body", "the traceback leads to the line"


def yielding(state: Any, output: Any = None) -> Any:
    def body(key: np.ndarray) -> Any:
        yield {"x": np.zeros(len(key)), "at": 0}
        yield state(len(key)) if callable(state) else state
        return {"y": [0] * len(key)} if output is None else output

    return body


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ([1], "step 1, the hints should be a dictionary by name, found list"),
        ({"x": [0.0] * 4}, "step 1, the hint 'at' is missing: found x"),
        ({"x": [0.0] * 4, "at": 0, "b": 1}, "step 1, the hint 'b' is not in the spec, which has x, at"),
        ({"x": [0.0] * 3, "at": 0}, r"step 1, the hint 'x' should have the shape \(4,\), found \(3,\)"),
        ({"x": ["a"] * 4, "at": 0}, "step 1, the hint 'x' should be numbers, found an array of type <U1"),
        ({"x": [1j] * 4, "at": 0}, "step 1, the hint 'x' should be numbers, found an array of type complex128"),
        ({"x": [object()] * 4, "at": 0}, "step 1, the hint 'x' should be numbers, found list"),
        ({"x": [0.0] * 4, "at": 4}, "step 1, the hint 'at' should be whole numbers from 0 to 3, found 4"),
        ({"x": [0.0] * 4, "at": 0.5}, "step 1, the hint 'at' should be whole numbers from 0 to 3, found 0.5"),
        ({"x": [0.0, np.nan, 0.0, 0.0], "at": 0}, 'finite number in the hint "x" at step 1, found NaN at node 1'),
        ({"x": [0.0, 0.0, np.inf, 0.0], "at": 0}, 'finite number in the hint "x" at step 1, found inf at node 2'),
        ({"x": [0.0] * 4, "at": [1, 1, 0, 0]}, 'in the hint "at" at step 1, found 1, 1 and zeros'),
    ],
)
def test_a_wrong_state_is_answered_with_the_hint_and_the_step(state: Any, sentence: str) -> None:
    defined(yielding(state))
    with pytest.raises(ns.InputError, match=sentence):
        ns.sample("own_faulty", n=4, num=1)


def test_arrays_of_any_type_and_layout_are_taken() -> None:
    layouts = [
        np.arange(4, dtype=np.float32),
        np.arange(4, dtype=np.int8),
        np.arange(8.0)[::2] / 2,
        np.arange(4.0)[::-1][::-1],
        np.array([3.0, 2.0, 1.0, 0.0])[::-1],
        np.arange(4.0).astype(">f8"),
    ]
    for layout in layouts:
        defined(yielding({"x": layout, "at": np.int64(2)}))
        found = ns.sample("own_faulty", n=4, num=1)
        assert found.hints["x"][1, 0].tolist() == [0, 1, 2, 3]
        assert found.hints["at"][1, 0].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ({}, "the output 'y' is missing: found nothing"),
        ({"y": [9, 0, 0, 0]}, 'expected a node from 0 to 3 in the output "y", found 9 at node 0'),
        ({"y": [-1, 0, 0, 0]}, 'expected a node from 0 to 3 in the output "y", found -1 at node 0'),
        ({"y": np.zeros((2, 2))}, r"the output 'y' should have the shape \(4,\), found \(2, 2\)"),
    ],
)
def test_a_wrong_output_is_answered_with_its_name(output: Any, sentence: str) -> None:
    defined(yielding({"x": [0.0] * 4, "at": 0}, output))
    with pytest.raises(ValueError, match=sentence):
        ns.sample("own_faulty", n=4, num=1)


def test_a_function_that_is_no_generator_or_returns_nothing_is_told_what_to_do() -> None:
    defined(lambda key: {"y": key})
    with pytest.raises(ValueError, match="own_faulty should yield its hints at every step"):
        ns.sample("own_faulty", n=4, num=1)

    def silent(key: np.ndarray) -> Any:
        yield {"x": key, "at": 0}

    defined(silent)
    with pytest.raises(ValueError, match="own_faulty should end with its outputs: return {'y': …}"):
        ns.sample("own_faulty", n=4, num=1)

    def stepless(key: np.ndarray) -> Any:
        return {"y": [0] * len(key)}
        yield

    defined(stepless)
    with pytest.raises(ValueError, match="at least one step with hints, found none"):
        ns.sample("own_faulty", n=4, num=1)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": "bfs"}, 'an algorithm named "bfs" is registered already'),
        ({"name": "Own Sort"}, "lower-case letters, digits and underscores"),
        ({"instance": "grph"}, 'unknown algorithm "grph"'),
        ({"category": "sortng"}, 'unknown category "sortng"; the closest name is "sorting"'),
        ({"spec": {"key": ("input", "node")}}, r"should be \(stage, location, type\)"),
        ({"spec": {"key": ("input", "edges", "scalar")}}, "the location of key should be node, edge or graph"),
        ({"spec": {"key": ("input", "node", "scalr")}}, 'unknown type "scalr"; the closest name is "scalar"'),
        (
            {"spec": {"key": ("input", "node", "scalar"), "y": ("output", "node", "pointer")}},
            "definition of own_faulty: expected at least one hint, found none",
        ),
        (
            {"spec": {"key": ("input", "node", "mask"), "y": ("output", "node", "mask")}},
            "expected inputs that instances of minimum have: pos .node scalar., key .node scalar., found key",
        ),
    ],
)
def test_a_definition_that_is_none_is_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        defined(yielding({}), **changes)


def test_a_parameter_that_is_no_input_is_refused() -> None:
    with pytest.raises(ValueError, match="takes keys, which is no input of its spec: inputs are pos, key"):
        defined(lambda keys: iter(()))
