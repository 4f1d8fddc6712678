"""Endless samples."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import narscope as ns
from narscope._stream import _scattered


def test_a_stream_repeats_itself_and_its_sizes_take_turns() -> None:
    one, other = (ns.Stream("bfs", n=[4, 7, 11], batch=3, seed=2) for _ in range(2))
    batches = list(islice(one, 4))
    assert [batch.n for batch in batches] == [4, 7, 11, 4]
    for index, batch in enumerate(batches):
        np.testing.assert_array_equal(batch.inputs["A"], other[index].inputs["A"])
    assert one.position == 4
    # Batches of one size differ.
    assert (batches[0].inputs["A"] != batches[3].inputs["A"]).any()


def test_streams_of_other_seeds_have_other_batches() -> None:
    first, second = ns.Stream("bfs", n=6, seed=1), ns.Stream("bfs", n=6, seed=2)
    assert (first[1].inputs["A"] != second[0].inputs["A"]).any()
    assert len({_scattered(seed) for seed in range(10_000)}) == 10_000


def test_mistakes_are_found_when_a_stream_is_made() -> None:
    with pytest.raises(ns.InputError, match="bfs has no option low"):
        ns.Stream("bfs", low=1.0)
    with pytest.raises(ns.InputError, match="found none"):
        ns.Stream("bfs", n=[])
    with pytest.raises(IndexError):
        ns.Stream("bfs")[-1]


def test_options_are_shown() -> None:
    assert repr(ns.Stream("bfs", n=8, batch=2, p=0.5)) == "Stream('bfs', n=8, batch=2, seed=1, p=0.5)"


@pytest.mark.parametrize("workers", [0, 2])
def test_workers_of_a_data_loader_share_the_batches_of_a_stream(workers: int) -> None:
    data = pytest.importorskip("torch.utils.data")
    stream = ns.Stream("bfs", n=[4, 5], batch=2, seed=3)
    loader = data.DataLoader(stream.to_torch(), batch_size=None, num_workers=workers)
    for index, tensors in enumerate(islice(loader, 4)):
        np.testing.assert_array_equal(tensors.inputs["A"].numpy(), stream[index].inputs["A"])
