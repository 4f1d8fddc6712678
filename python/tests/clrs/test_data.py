"""Samplers, datasets and data points."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import narscope.clrs as clrs


def sampler_of(name="bfs", num_samples=8, length=6, **options):
    return clrs.build_sampler(name, num_samples, length, seed=1, **options)[0]


def python(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def test_an_array_owns_the_memory_that_rust_filled():
    hint = sampler_of().next(2).features.hints[0].data
    owner = hint
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    assert not isinstance(owner, np.ndarray), "a copy would be owned by NumPy"
    assert hint.flags.writeable and hint.flags.c_contiguous


def test_the_same_seed_gives_the_same_batches_and_no_seed_others():
    first, again = (sampler_of(num_samples=-1).next(3) for _ in range(2))
    assert first.features.inputs[2].data.tobytes() == again.features.inputs[2].data.tobytes()
    unseeded = [clrs.build_sampler("minimum", 2, 8)[0].next().features.inputs[1].data for _ in range(2)]
    assert (unseeded[0] != unseeded[1]).any()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"name": "bsf"}, 'the closest name is "bfs"'),
        ({"seed": -1}, "seed must be from 0 to 2\\*\\*32 - 1, found -1"),
        ({"p": [2.0]}, "p must be a probability from 0 to 1, got 2"),
        ({"p": "half"}, "a sampler option cannot be used"),
        ({"p": object()}, "an option must be a number or a list of numbers"),
        ({"p": [float("nan")]}, "a sampler option cannot be used"),
        ({"length": 10**7}, "10000"),
    ],
)
def test_a_mistake_is_a_value_error_that_says_what_is_wrong(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        clrs.build_sampler(**{"name": "bfs", "num_samples": 2, "length": 4, "seed": 1, **arguments})


def test_a_batch_is_not_larger_than_the_fixed_set_and_not_empty():
    with pytest.raises(ValueError, match="a batch of 9 cannot be drawn from 8 samples"):
        sampler_of().next(9)
    with pytest.raises(ValueError, match="batch_size must be at least 1"):
        sampler_of().next(0)
    with pytest.raises(ValueError, match="needs a batch_size"):
        sampler_of(num_samples=-1).next()


def test_a_sampler_needs_a_length():
    with pytest.raises(TypeError, match="length"):
        clrs.build_sampler("bfs", num_samples=2)


def test_unknown_options_are_ignored_with_a_warning(caplog):
    with caplog.at_level("WARNING"):
        sampler_of("minimum", p=(0.5,), no_such_option=1)
    assert "no_such_option, p" in caplog.text


def test_options_of_narscope_work_too():
    grid = sampler_of("bfs", length=9, family="grid").next(1)
    adjacency = next(point for point in grid.features.inputs if point.name == "adj").data[0]
    assert (adjacency.sum(axis=1) - 1).max() <= 4, "a node of a grid has at most four neighbours"


def test_threads_can_share_a_sampler():
    sampler = sampler_of(num_samples=-1, length=16, track_max_steps=False)
    batches = []
    threads = [threading.Thread(target=lambda: batches.append(sampler.next(8))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    weights = {batch.features.inputs[2].data.tobytes() for batch in batches}
    assert len(weights) == 8, "every batch is drawn once"


def test_a_dataset_repeats_its_samples_in_order():
    dataset, num_samples, spec = clrs.create_dataset(None, "segments_intersect", "val", 1536)
    assert (num_samples, spec) == (2048, clrs.SPECS["segments_intersect"])
    batches = dataset.as_numpy_iterator()
    first, second, third = (next(batches).features.inputs[1].data for _ in range(3))
    twice = np.concatenate([first, second, third])
    np.testing.assert_array_equal(twice[:2048], twice[2048:4096])
    whole = clrs.build_sampler("segments_intersect", 2048, 16, seed=2)[0].next()
    np.testing.assert_array_equal(whole.features.inputs[1].data, twice[:2048])


def test_a_chunked_dataset_has_chunks_of_the_asked_length():
    chunks, _ = clrs.create_chunked_dataset(None, "bfs", "val", 4, 10)
    chunk = next(chunks)
    assert chunk.features.is_first.shape == (10, 4)
    assert chunk.features.hints[0].data.shape == (10, 4, 16)
    with pytest.raises(ValueError, match="chunk_length"):
        clrs.create_chunked_dataset(None, "bfs", "val", 4, 0)
    with pytest.raises(ValueError, match="batch_size"):
        clrs.create_dataset(None, "bfs", "val", 0)
    with pytest.raises(ValueError, match='the closest name is "test"'):
        clrs.create_dataset(None, "bfs", "tset", 4)


def test_a_hint_that_changes_cannot_become_an_input():
    sampler = sampler_of("insertion_sort")
    _, stream = clrs.process_pred_as_input(clrs.SPECS["insertion_sort"], iter([sampler.next()]))
    with pytest.raises(ValueError, match="pred_h changes"):
        next(stream)


def test_importing_narscope_imports_no_framework():
    loaded = python("import sys, narscope.clrs; print([m for m in ('jax', 'torch', 'pandas') if m in sys.modules])")
    assert loaded == "[]"


@pytest.mark.parametrize(
    "imports",
    [
        "import jax, narscope.clrs as clrs",
        "import narscope.clrs as clrs; import jax",
        "import narscope.clrs as clrs, importlib.util; importlib.util.find_spec('jax'); import jax",
    ],
)
def test_data_points_are_pytrees_of_jax(imports):
    pytest.importorskip("jax")
    program = f"""{imports}
batch = clrs.build_sampler('bfs', 4, 5, seed=1)[0].next()
doubled = jax.tree_util.tree_map(lambda x: x * 2, batch)
print(len(jax.tree_util.tree_leaves(batch)), type(doubled.outputs[0]).__name__, doubled.outputs[0].name,
      (doubled.features.lengths == 2 * batch.features.lengths).all(), jax.__loader__.__class__.__name__)"""
    assert python(program).split()[:4] == ["8", "DataPoint", "pi", "True"]


@pytest.mark.parametrize(
    ("call", "instead"),
    [
        (lambda: clrs.get_clrs_folder(), "create_dataset"),
        (lambda: clrs.get_dataset_gcp_url(), "create_dataset"),
        (lambda: clrs.CLRSDataset(), "create_dataset"),
        (lambda: clrs.get_processor_factory("memnet_full", True, 8), "triplet_gmpnn"),
        (lambda: clrs.get_processor_factory("mpnn", True, 0)(8), "BaselineModel"),
        (lambda: clrs.models.BaselineModelChunked({}, None, None), "chunked_training"),
        (lambda: clrs.models.Net(), "BaselineModel"),
        (lambda: clrs.processors.MPNN(8), "BaselineModel"),
        (lambda: clrs.decoders.construct_decoders(), "BaselineModel"),
        (lambda: clrs.decoders.log_sinkhorn(np.eye(2), 1, 1.0, True, object()), "noise_rng_key"),
    ],
)
def test_what_is_not_supported_says_what_to_use_instead(call, instead):
    with pytest.raises(NotImplementedError, match=instead):
        call()


class Ones(clrs.Sampler):
    CAN_TRUNCATE_INPUT_DATA = False

    def _sample_data(self, length):
        return [np.ones(length) + self._random_sequence(length)]


def test_a_sampler_of_the_user_draws_batches():
    sampler = Ones(clrs.algorithms.minimum, clrs.SPECS["minimum"], 3, 5, seed=1)
    assert sampler.next(2).features.inputs[1].data.shape == (2, 5)
    assert len(sampler.next().features.lengths) == 3
    with pytest.raises(ValueError, match="a batch of 4 cannot be drawn from 3 samples"):
        sampler.next(4)
    endless = Ones(clrs.algorithms.minimum, clrs.SPECS["minimum"], -1, 5, seed=1)
    with pytest.raises(ValueError, match="needs a batch_size"):
        endless.next()
    with pytest.raises(NotImplementedError, match="CAN_TRUNCATE_INPUT_DATA"):
        type("Undecided", (clrs.Sampler,), {"_sample_data": lambda self, length: []})


def test_a_module_has_no_other_names():
    with pytest.raises(AttributeError):
        clrs.processors.no_such_processor
