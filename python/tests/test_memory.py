"""Memory: arrays own what they show, and nothing is kept."""

from __future__ import annotations

import gc
import resource
import sys

import numpy as np
import pytest

import narscope as ns


def peak_megabytes() -> float:
    # Kilobytes on Linux, bytes on macOS.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def test_an_array_outlives_its_batch() -> None:
    array = ns.sample("bfs", n=16, num=8).inputs["A"]
    expected = array.copy()
    gc.collect()
    others = [ns.sample("bfs", n=16, num=8, seed=seed) for seed in range(2, 20)]
    assert np.array_equal(array, expected)
    assert array.flags.writeable and array.base is not None, "the memory is that of Rust, and yours to change"
    array[...] = 0
    assert any(other.inputs["A"].any() for other in others)


def test_sampling_again_and_again_takes_no_more_memory() -> None:
    def draw() -> None:
        for seed in range(20):
            ns.sample("floyd_warshall", n=32, num=8, seed=seed)

    draw()
    before = peak_megabytes()
    for _ in range(4):
        draw()
    # Keeping every batch would take 500 MB.
    assert peak_megabytes() < before + 150


def test_running_an_own_algorithm_again_and_again_keeps_nothing() -> None:
    def body(key: np.ndarray) -> object:  # type: ignore[misc]
        yield {"h": key}
        return {"y": key}

    spec = {
        "key": ("input", "node", "scalar"),
        "h": ("hint", "node", "scalar"),
        "y": ("output", "node", "scalar"),
    }
    own = ns.algorithm(body, name="own_memory", spec=spec, instance="array")
    ns.sample(own, n=64, num=100)
    before = peak_megabytes()
    for seed in range(20):
        ns.sample(own, n=64, num=100, seed=seed)
    gc.collect()
    assert peak_megabytes() < before + 50


@pytest.mark.parametrize("arguments", [{"num": 10**9}, {"n": 10_000, "num": 1000}])
def test_what_does_not_fit_into_memory_is_refused_before_it_is_tried(arguments: dict[str, int]) -> None:
    with pytest.raises(ns.InputError, match="GB of memory"):
        ns.sample("floyd_warshall", **arguments)
