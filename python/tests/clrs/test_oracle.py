"""Comparison with dm-clrs itself, bit for bit. Skipped where it is not installed: ``cargo xtask parity python`` runs it."""

import contextlib
import copy
import importlib
import itertools
from unittest import mock

import numpy as np
import pytest

import narscope.clrs as ours

# Not `clrs`: a folder of tests may have this name.
pytest.importorskip("clrs.models", reason="dm-clrs is not installed")
theirs = pytest.importorskip("clrs")

ALGORITHMS = list(theirs.SPECS)
CLRS_30 = list(theirs.CLRS_30_ALGS_SETTINGS)


@contextlib.contextmanager
def stable_argsort():
    """Makes dm-clrs break ties by index: its order of equal keys depends on the CPU."""
    argsort = np.argsort
    with mock.patch.object(np, "argsort", lambda a, **options: argsort(a, **{**options, "kind": "stable"})):
        yield


def assert_same_array(expected, found, what):
    expected, found = np.asarray(expected), np.asarray(found)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), what
    assert found.tobytes() == expected.tobytes(), what


def assert_same_points(expected, found):
    assert [point.name for point in found] == [point.name for point in expected]
    for wanted, point in zip(expected, found, strict=True):
        assert (point.location, point.type_) == (wanted.location, wanted.type_), wanted.name
        assert_same_array(wanted.data, point.data, wanted.name)


def assert_same_feedback(expected, found):
    assert type(found.features.inputs) is type(expected.features.inputs)
    assert found.features._fields == expected.features._fields
    assert_same_points(expected.features.inputs, found.features.inputs)
    assert_same_points(expected.features.hints, found.features.hints)
    assert_same_points(expected.outputs, found.outputs)
    for wanted, values in zip(expected.features[2:], found.features[2:], strict=True):
        assert_same_array(wanted, values, "lengths or marks")


def both(name, *args, **kwargs):
    """A sampler of each side."""
    return [module.build_sampler(name, *args, **kwargs)[0] for module in (theirs, ours)]


def batches(sampler, size):
    while True:
        yield sampler.next(size)


def test_specs_and_settings_are_the_same():
    assert dict(ours.SPECS) == dict(theirs.SPECS)
    assert [list(spec) for spec in ours.SPECS.values()] == [list(theirs.SPECS[name]) for name in ours.SPECS]
    assert ours.CLRS30 == theirs.CLRS30
    assert ours.CLRS_30_ALGS_SETTINGS == theirs.CLRS_30_ALGS_SETTINGS
    for name in ("Stage", "Location", "Type", "OutputClass"):
        values = [
            {key: value for key, value in vars(getattr(module, name)).items() if key.isupper()}
            for module in (theirs, ours)
        ]
        assert values[0] == values[1]


def test_every_public_name_exists():
    for module in (theirs, theirs.models, theirs.decoders, theirs.processors, theirs.algorithms):
        ours_module = importlib.import_module(
            {
                "clrs": "narscope.clrs",
                "clrs.models": "narscope.clrs.models",
                "clrs._src.decoders": "narscope.clrs.decoders",
                "clrs._src.processors": "narscope.clrs.processors",
                "clrs._src.algorithms": "narscope.clrs.algorithms",
            }[module.__name__]
        )
        for name in dir(module):
            value = getattr(module, name)
            defined_there = getattr(value, "__module__", "").startswith("clrs")
            if not name.startswith("_") and (defined_there or name.isupper()) and name != "BIG_NUMBER":
                assert hasattr(ours_module, name), f"{module.__name__}.{name}"


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(("length", "seed"), [(5, 0), (8, 7), (16, 42)])
def test_fixed_sets_and_their_batches_are_equal(name, length, seed):
    reference, narscope = both(name, 6, length, seed=seed)
    assert_same_feedback(reference.next(), narscope.next())
    for size in (1, 4):
        assert_same_feedback(reference.next(size), narscope.next(size))


@pytest.mark.parametrize("name", ["bfs", "insertion_sort", "kmp_matcher", "mst_kruskal"])
@pytest.mark.parametrize("track", [True, False])
def test_endless_samplers_are_equal(name, track):
    reference, narscope = both(name, -1, length=6, seed=3, track_max_steps=track)
    for _ in range(3):
        assert_same_feedback(reference.next(4), narscope.next(4))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bfs", {"p": (0.1, 0.9)}),
        ("dijkstra", {"p": [0.3], "low": 0.2, "high": 0.4}),
        ("naive_string_matcher", {"length_needle": -2, "chars": 2}),
        ("kmp_matcher", {"length_needle": 3}),
        ("lcs_length", {"length_2": 3}),
        ("task_scheduling", {"max_deadline": 4}),
        ("strongly_connected_components", {"k": 2, "eps": 0.1}),
        ("graham_scan", {"radius": 3, "collinearity_resampling_attempts": 5, "collineararity_eps": 1e-9}),
        ("minimum", {"p": (0.5,), "length_needle": 2}),
        ("bridges", {"truncate_decimals": 2}),
        ("dijkstra", {"truncate_decimals": 1}),
        ("insertion_sort", {"truncate_decimals": 1}),
        ("jarvis_march", {"truncate_decimals": 2}),
    ],
)
def test_options_are_those_of_the_reference(name, options):
    with stable_argsort():
        reference, narscope = both(name, 5, 9, seed=11, **options)
        assert_same_feedback(reference.next(3), narscope.next(3))
        assert narscope.CAN_TRUNCATE_INPUT_DATA == reference.CAN_TRUNCATE_INPUT_DATA


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("minimum", (0.5, 2.0)),
        ("task_scheduling", (3, 0.5)),
        ("lcs_length", (3, 2)),
        ("kmp_matcher", (2, 3)),
        ("bfs", ((0.8,),)),
        ("dijkstra", ((0.8,), 0.1, 0.3)),
        ("strongly_connected_components", (2, (0.9,), 0.2)),
        ("bipartite_matching", (3, (0.9,))),
        ("graham_scan", (1.0, 2.0, 0.5)),
    ],
)
def test_options_without_a_name_are_in_the_order_of_the_reference(name, args):
    reference, narscope = both(name, 4, 8, *args, seed=2)
    assert_same_feedback(reference.next(), narscope.next())


@pytest.mark.parametrize("name", CLRS_30)
def test_conversions_are_equal(name):
    reference, narscope = (batches(sampler, 4) for sampler in both(name, 8, length=8, seed=5))
    specs = (theirs.SPECS[name], ours.SPECS[name])
    streams = [
        module.process_random_pos(stream, np.random.RandomState(1))
        for module, stream in ((theirs, reference), (ours, narscope))
    ]
    if name in ours.specs.CONSTANT_HINTS:
        converted = [
            module.process_pred_as_input(spec, stream)
            for module, spec, stream in zip((theirs, ours), specs, streams, strict=True)
        ]
        specs, streams = zip(*converted, strict=True)
        assert list(specs[1].items()) == list(specs[0].items())
    for enforce in (True, False):
        converted = [
            module.process_permutations(spec, stream, enforce)
            for module, spec, stream in zip((theirs, ours), specs, streams, strict=True)
        ]
        assert list(converted[1][0].items()) == list(converted[0][0].items())
        assert_same_feedback(*(next(stream) for _, stream in converted))


@pytest.mark.parametrize("name", CLRS_30)
def test_chunks_are_equal(name):
    streams = [
        module.chunkify(batches(sampler, 3), 7)
        for module, sampler in zip((theirs, ours), both(name, 5, length=6, seed=5), strict=True)
    ]
    for expected, found in itertools.islice(zip(*streams, strict=True), 12):
        assert_same_feedback(expected, found)


@pytest.mark.parametrize("name", CLRS_30)
def test_scores_are_equal(name):
    sampler, _ = ours.build_sampler(name, 16, length=7, seed=1)
    _, stream = ours.process_permutations(ours.SPECS[name], batches(sampler, 6), True)
    truth, other = next(stream), next(stream)

    def as_theirs(point):
        return theirs.DataPoint(point.name, point.location, point.type_, point.data)

    predictions = {point.name: point for point in other.outputs}
    expected = theirs.evaluate(
        [as_theirs(point) for point in truth.outputs],
        {name: as_theirs(point) for name, point in predictions.items()},
    )
    assert ours.evaluate(truth.outputs, predictions) == expected

    steps = [
        {
            hint.name: ours.DataPoint(hint.name, hint.location, hint.type_, np.roll(hint.data[step], 1, axis=0))
            for hint in truth.features.hints
        }
        for step in range(1, len(truth.features.hints[0].data))
    ]
    lengths = truth.features.lengths
    expected = theirs.evaluate_hints(
        [as_theirs(hint) for hint in truth.features.hints],
        lengths,
        [{name: as_theirs(point) for name, point in step.items()} for step in steps],
    )
    found = ours.evaluate_hints(truth.features.hints, lengths, steps)
    assert list(found) == list(expected)
    for hint in expected:
        np.testing.assert_allclose(found[hint], expected[hint], rtol=1e-12, atol=1e-15, err_msg=hint)


@pytest.mark.parametrize("name", CLRS_30)
@pytest.mark.parametrize("use_hints", [False, True])
def test_texts_are_equal(name, use_hints):
    options = {"num_samples": 6, "use_hints": use_hints, "seed": 3, "num_decimals_in_float": 3}
    lengths = {name: [5, 8]}
    with stable_argsort():
        expected = list(theirs.clrs_text.huggingface_generators.clrs_generator(lengths, **options))
    assert list(ours.clrs_text.clrs_generator(lengths, **options)) == expected


def _arguments(name, rng):
    keys = rng.permutation(9) + 1
    weights = np.triu(rng.uniform(0.1, 1, (7, 7)) * (rng.uniform(size=(7, 7)) < 0.5), 1)
    letters = rng.randint(0, 4, 8)
    xs, ys = rng.uniform(size=(2, 7))
    starts, lengths = rng.uniform(size=(2, 6))
    special = {
        "binary_search": (4, np.sort(keys)),
        "find_maximum_subarray": (keys - 5.0,),
        "find_maximum_subarray_kadane": (keys - 5.0,),
        "matrix_chain_order": (keys.astype(float),),
        "lcs_length": (letters, letters[::-1][:5]),
        "optimal_bst": (xs[:4] / 9, ys[:5] / 9),
        "activity_selector": (starts, starts + lengths),
        "task_scheduling": (rng.randint(1, 7, 6), lengths),
        "naive_string_matcher": (letters, letters[3:6]),
        "kmp_matcher": (letters, letters[3:6]),
        "segments_intersect": (xs[:4], ys[:4]),
        "graham_scan": (xs, ys),
        "jarvis_march": (xs, ys),
        "topological_sort": ((weights > 0).astype(int),),
        "dag_shortest_paths": (weights, 0),
        "strongly_connected_components": (np.eye(7)[rng.permutation(7)],),
    }
    if name in special:
        return special[name]
    of_keys = ("insertion_sort", "bubble_sort", "heapsort", "quicksort", "quickselect", "minimum")
    if name in of_keys:
        return (keys,)
    undirected = weights + weights.T
    if name in ("bfs", "dfs", "articulation_points", "bridges"):
        undirected = (undirected > 0).astype(int)
    from_source = ("bfs", "mst_prim", "bellman_ford", "dijkstra")
    return (undirected, 2) if name in from_source else (undirected,)


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "bipartite_matching"])
def test_algorithms_return_what_the_reference_returns(name):
    for seed in range(3):
        arguments = _arguments(name, np.random.RandomState(seed))
        # The reference sorts its arguments.
        expected, expected_probes = getattr(theirs.algorithms, name)(*copy.deepcopy(arguments))
        found, probes = getattr(ours.algorithms, name)(*arguments)
        np.testing.assert_array_equal(found, expected)
        for stage, locations in expected_probes.items():
            for location, known in locations.items():
                assert probes[stage][location].keys() == known.keys()
                for probe, value in known.items():
                    mine = probes[stage][location][probe]
                    assert mine["type_"] == value["type_"]
                    np.testing.assert_array_equal(np.squeeze(mine["data"]), np.squeeze(value["data"]), probe)


@pytest.mark.parametrize("num_samples", [5, -1])
def test_own_samplers_draw_what_those_of_the_reference_draw(num_samples):
    def own(module):
        class Own(module.Sampler):
            CAN_TRUNCATE_INPUT_DATA = True

            def _sample_data(self, length, p=0.5):
                kinds = ({}, {"directed": True}, {"directed": True, "acyclic": True, "weighted": True})
                graphs = [self._random_er_graph(length, p=p, **kind) for kind in kinds]
                weights = self._random_er_graph(length, p=p, weighted=True)
                ignored = self._random_string(3).sum() + self._random_sequence(3).sum()
                return [weights + 0 * (sum(graphs) + ignored), 1]

        algorithm, spec = module.algorithms.dijkstra, module.SPECS["dijkstra"]
        return Own(algorithm, spec, num_samples, 6, seed=4, truncate_decimals=6, p=0.7)

    reference, narscope = own(theirs), own(ours)
    for _ in range(2):
        assert_same_feedback(reference.next(3), narscope.next(3))
