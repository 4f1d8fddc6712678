"""The splits of CLRS-30, made here instead of downloaded; and chunks of batches."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from narscope._errors import InputError
from narscope._narscope import clrs as _native
from narscope.clrs.own_samplers import Feedback
from narscope.clrs.probing import DataPoint
from narscope.clrs.samplers import FeaturesChunked, feedback_of
from narscope.clrs.specs import SPECS, Spec


class Dataset:
    """Batches of a split, over and over, in the order in which the samples were drawn."""

    def __init__(self, native: Any, algorithm: str, batch_size: int) -> None:
        self._native = native
        self._spec = SPECS[algorithm]
        self._batch_size = batch_size

    def __iter__(self) -> Iterator[Feedback]:
        samples = itertools.cycle(range(len(self._native)))
        while True:
            arrays, lengths = self._native.batch(list(itertools.islice(samples, self._batch_size)))
            yield feedback_of(self._spec, arrays, lengths, tuple)

    def as_numpy_iterator(self) -> Iterator[Feedback]:
        """An endless iterator over batches."""
        return iter(self)


def create_dataset(
    folder: str | None, algorithm: str, split: str, batch_size: int
) -> tuple[Dataset, int, Spec]:
    """A split of the benchmark: its batches, the number of its samples, and the spec.

    The samples are those of dm-clrs 2.0.3's samplers, made in moments, so ``folder`` is not used. The archive that
    dm-clrs downloads was made by its version of 2022; ``narscope dataset --archive-2022`` makes that one.

    >>> dataset, num_samples, spec = create_dataset(None, "bfs", "test", 32)
    >>> num_samples, next(dataset.as_numpy_iterator()).features.inputs[0].data.shape
    (32, (32, 64))
    """
    if batch_size < 1:
        raise InputError(f"batch_size must be at least 1, found {batch_size}")
    native = _native.Dataset(algorithm, split)
    return Dataset(native, algorithm, batch_size), len(native), SPECS[algorithm]


def create_chunked_dataset(
    folder: str | None, algorithm: str, split: str, batch_size: int, chunk_length: int
) -> tuple[Iterator[Feedback], Spec]:
    """A split of the benchmark in chunks of ``chunk_length`` steps, and the spec."""
    dataset, _, spec = create_dataset(folder, algorithm, split, batch_size)
    return chunkify(dataset.as_numpy_iterator(), chunk_length), spec


def get_dataset_gcp_url() -> str:
    """Not supported: nothing is downloaded."""
    raise NotImplementedError("narscope.clrs downloads nothing: create_dataset makes the samples on this machine")


def get_clrs_folder() -> str:
    """Not supported: nothing is downloaded."""
    raise NotImplementedError("narscope.clrs has no data folder: create_dataset makes the samples on this machine")


class CLRSDataset:
    """Not supported: a builder of TensorFlow Datasets."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("CLRSDataset needs TensorFlow Datasets: use create_dataset")


def chunkify(dataset: Iterator[Feedback], chunk_length: int) -> Iterator[Feedback]:
    """Cuts batches into windows of ``chunk_length`` steps.

    A row of the batch is a sequence of samples without padding between them; inputs and outputs are repeated at
    every step. ``is_first`` and ``is_last`` mark the first and the last step of each sample.
    """
    steps = int(chunk_length)
    if steps < 1:
        raise InputError(f"chunk_length must be at least 1, found {chunk_length}")
    return _chunks(dataset, steps)


def _chunks(dataset: Iterator[Feedback], steps: int) -> Iterator[Feedback]:
    batches: list[tuple[Feedback, np.ndarray]] = []
    # For each row, the batch that it reads and the step of its sample.
    batch_of: np.ndarray = np.zeros(0, dtype=int)
    step_of = batch_of
    while True:
        while not batches or (_steps_left(batches, batch_of, step_of) < steps).any():
            try:
                feedback = next(dataset)
            except StopIteration:
                return
            lengths = np.asarray(feedback.features.lengths).astype(int)
            batches.append((feedback, lengths))
            if not batch_of.size:
                batch_of, step_of = np.zeros_like(lengths), np.zeros_like(lengths)
        rows = np.arange(batch_of.size)
        batch_at, step_at = (np.empty((steps, rows.size), dtype=int) for _ in range(2))
        is_first, is_last = (np.empty((steps, rows.size), dtype=int) for _ in range(2))
        all_lengths = np.stack([lengths for _, lengths in batches])
        for time in range(steps):
            batch_at[time], step_at[time] = batch_of, step_of
            last = step_of + 1 == all_lengths[batch_of, rows]
            is_first[time], is_last[time] = step_of == 0, last
            batch_of, step_of = batch_of + last, np.where(last, 0, step_of + 1)
        yield _chunk([feedback for feedback, _ in batches], batch_at, step_at, is_first, is_last)
        done = batch_of.min()
        del batches[:done]
        batch_of = batch_of - done


def _steps_left(batches: list[Any], batch_of: np.ndarray, step_of: np.ndarray) -> np.ndarray:
    """The number of steps of each row that are not read yet."""
    lengths = np.stack([lengths for _, lengths in batches])
    unread = np.arange(len(batches))[:, None] >= batch_of
    return (lengths * unread).sum(axis=0) - step_of


def _chunk(
    batches: list[Feedback],
    batch_at: np.ndarray,
    step_at: np.ndarray,
    is_first: np.ndarray,
    is_last: np.ndarray,
) -> Feedback:
    """The values of every row at the given steps of the given batches."""
    rows = np.arange(batch_at.shape[1])

    def gather(points: list[DataPoint], with_time: bool) -> DataPoint:
        first = np.asarray(points[0].data)
        record = first.shape[2:] if with_time else first.shape[1:]
        data = np.zeros((*batch_at.shape, *record), dtype=first.dtype)
        for place, point in enumerate(points):
            times, chosen = np.nonzero(batch_at == place)
            values = np.asarray(point.data)
            data[times, chosen] = values[step_at[times, chosen], chosen] if with_time else values[chosen]
        return DataPoint(points[0].name, points[0].location, points[0].type_, data)

    def all_of(streams: Any, with_time: bool) -> Any:
        kind = type(streams[0])
        return kind(gather(list(points), with_time) for points in zip(*streams, strict=True))

    inputs = all_of([batch.features.inputs for batch in batches], False)
    hints = all_of([batch.features.hints for batch in batches], True)
    outputs = all_of([batch.outputs for batch in batches], False)
    return Feedback(FeaturesChunked(inputs, hints, is_first, is_last), outputs)
