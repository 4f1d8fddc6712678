"""Random samples as arrays."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import threading
from typing import get_type_hints

import numpy as np
import pytest

import narscope as ns
from narscope import _narscope
from narscope._options import SamplerOptions


def test_every_algorithm_is_sampled_with_the_probes_of_its_spec() -> None:
    specs = ns.algorithms()
    # Other tests define algorithms of their own.
    for name in ns.clrs.SPECS:
        spec = specs[name]
        batch = ns.sample(name, n=8, num=3, seed=1)
        assert (len(batch), batch.n) == (3, len(batch.inputs["pos"][0])), name
        assert list(batch.inputs) == list(spec.inputs), name
        assert list(batch.hints) == list(spec.hints), name
        assert list(batch.outputs) == list(spec.outputs), name
        assert batch.lengths.shape == (3,) and batch.lengths.dtype == np.float64
        for probes, arrays in [(spec.inputs, batch.inputs), (spec.outputs, batch.outputs)]:
            for probe, array in arrays.items():
                assert array.dtype == probes[probe].dtype and array.shape[0] == 3, (name, probe)
        for array in batch.hints.values():
            assert array.shape[:2] == (batch.lengths.max(), 3), name


def test_arrays_own_the_memory_that_rust_filled() -> None:
    array = ns.sample("bfs", n=16, num=4).inputs["A"]
    assert array.flags.c_contiguous and array.flags.writeable
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    # An array that was copied would have no base, or another array.
    assert type(base.base).__name__ == "PySliceContainer"


def test_the_same_arguments_give_the_same_samples_on_any_number_of_threads() -> None:
    before = ns.threads()
    try:
        ns.set_threads(1)
        one = ns.sample("dfs", n=12, num=200, seed=5)
        ns.set_threads(3)
        three = ns.sample("dfs", n=12, num=200, seed=5)
    finally:
        ns.set_threads(before)
    for name, array in one.hints.items():
        np.testing.assert_array_equal(array, three.hints[name])


def test_many_samples_are_drawn_in_parts_that_make_up_the_whole() -> None:
    many = ns.sample("bfs", n=5, num=2000, seed=9)
    for name, array in ns.sample("bfs", n=5, num=700, seed=9).inputs.items():
        np.testing.assert_array_equal(array, many.inputs[name][:700])


def test_a_sample_has_no_padding() -> None:
    batch = ns.sample("insertion_sort", n=6, num=4, seed=2)
    one = batch[-1]
    assert one.length == batch.lengths[-1]
    np.testing.assert_array_equal(one.hints["pred_h"], batch.hints["pred_h"][: one.length, -1])
    np.testing.assert_array_equal(one.batch().inputs["key"], batch[3:].inputs["key"])
    assert [len(part) for part in (batch[:2], batch[[0, 2, 3]], batch[batch.lengths > 0])] == [2, 3, 4]
    assert sum(1 for _ in batch) == 4
    assert len(list(one.steps())) == one.length
    with pytest.raises(IndexError):
        batch[4]


def test_a_batch_is_shown_with_its_shapes_and_survives_pickling() -> None:
    batch = ns.sample("bfs", n=4, num=2, seed=1)
    assert "Batch of 2 samples of bfs, n = 4" in repr(batch) and "pi (2, 4) int64" in repr(batch)
    again = pickle.loads(pickle.dumps(batch))
    np.testing.assert_array_equal(again.hints["pi_h"], batch.hints["pi_h"])


def test_options_reach_the_sampler() -> None:
    directed = ns.sample("bellman_ford", n=10, num=8, seed=1, directed=True, p=0.3).inputs["A"]
    assert (directed != directed.swapaxes(1, 2)).any()
    undirected = ns.sample("bellman_ford", n=10, num=8, seed=1, directed=False, p=[0.3]).inputs["A"]
    assert (undirected == undirected.swapaxes(1, 2)).all()
    grid = ns.sample("bfs", n=9, num=2, seed=1, family="grid").inputs["adj"][0]
    assert grid.sum(axis=0).max() == 5
    np.testing.assert_array_equal(
        ns.sample("minimum", n=4, num=1, low=2, high=np.float32(3)).inputs["key"] >= 2, True
    )


def test_typed_options_are_those_of_rust() -> None:
    typed = set(get_type_hints(SamplerOptions))
    assert typed == {name for name, _ in _narscope.option_help()} | {"directed"}
    for name in ("sample", "Stream"):
        parameters = inspect.signature(getattr(ns, name)).parameters
        assert parameters["options"].kind is inspect.Parameter.VAR_KEYWORD


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"algorithm": "bsf"}, 'unknown algorithm "bsf"; the closest name is "bfs"'),
        ({"n": 0}, "n should be a whole number from 1 to 10000, found 0"),
        ({"n": 10**30}, "n should be a whole number from 1 to 10000"),
        ({"n": 4.5}, "n should be a whole number from 1 to 10000, found 4.5"),
        ({"num": -1}, "num should be a whole number from 1 to"),
        ({"num": 2**32 - 1, "n": 1000}, "GB of memory"),
        ({"seed": -1}, "seed should be a whole number from 0 to 4294967295, found -1"),
        ({"low": 1.0}, "bfs has no option low here; its options are family, direction, p"),
        ({"probability": 1.0}, 'unknown option "probability"; the closest name is'),
        ({"p": 1.5}, "p must be a probability from 0 to 1, got 1.5"),
        ({"p": float("nan")}, "p should be a finite number, found NaN"),
        ({"p": "many"}, 'p: invalid type: string "many"'),
        ({"family": "gird"}, "gird"),
    ],
)
def test_a_mistake_is_a_value_error_with_a_sentence(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        ns.sample(**{"algorithm": "bfs", "n": 8, "num": 2, **arguments})  # type: ignore[arg-type]
    assert sentence in str(caught.value)
    assert isinstance(caught.value, ns.Error)


def test_two_threads_sample_at_once() -> None:
    found: dict[int, ns.Batch] = {}
    threads = [
        threading.Thread(target=lambda seed=seed: found.update({seed: ns.sample("dfs", n=16, seed=seed)}))
        for seed in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, batch in found.items():
        np.testing.assert_array_equal(batch.outputs["pi"], ns.sample("dfs", n=16, seed=seed).outputs["pi"])


def test_a_forked_process_samples() -> None:
    program = """
import os, narscope as ns
ns.sample("bfs", num=100)
child = os.fork()
if child == 0:
    os._exit(0 if len(ns.sample("bfs", num=100)) == 100 else 1)
_, status = os.waitpid(child, 0)
raise SystemExit(os.waitstatus_to_exitcode(status))
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0


def test_importing_narscope_imports_no_other_package() -> None:
    program = "import sys, narscope; print([it for it in ('numpy', 'torch', 'jax', 'pandas') if it in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_arrays_go_to_other_packages_without_a_copy_through_dlpack() -> None:
    array = ns.sample("bfs", n=4, num=2).inputs["A"]
    shared = np.from_dlpack(array)
    array[0, 0, 0] = 7
    assert shared[0, 0, 0] == 7


def test_tensors_of_torch_share_the_memory_of_the_arrays() -> None:
    torch = pytest.importorskip("torch")
    batch = ns.sample("bfs", n=4, num=2)
    tensors = batch.to_torch()
    assert tensors.inputs["A"].dtype == torch.float64 and tensors.outputs["pi"].dtype == torch.int64
    batch.inputs["A"][0, 0, 0] = 7
    assert tensors.inputs["A"][0, 0, 0] == 7


def test_arrays_of_jax_have_the_values() -> None:
    pytest.importorskip("jax")
    batch = ns.sample("bfs", n=4, num=2)
    np.testing.assert_allclose(np.asarray(batch.to_jax().inputs["A"]), batch.inputs["A"], rtol=1e-6)


def test_graphs_of_pytorch_geometric_have_probes_at_edges_and_nodes() -> None:
    pytest.importorskip("torch_geometric")
    batch = ns.sample("bellman_ford", n=5, num=2, seed=1)
    graphs = batch.to_pyg()
    edges = int(batch.inputs["adj"][0].sum())
    assert len(graphs) == 2 and graphs[0].edge_index.shape == (2, edges)
    assert graphs[0].A.shape == (edges,) and graphs[0].pi_h.shape == (5, graphs[0].length)
    assert graphs[0].outputs == ["pi"]


@pytest.mark.parametrize("method", ["to_torch", "to_jax", "to_pyg"])
def test_a_missing_package_is_named_with_how_to_install_it(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("torch", "jax", "torch_geometric"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ns.MissingPackageError, match=r'pip install "narscope\['):
        getattr(ns.sample("bfs", n=4, num=1), method)()
