"""Streams as data sets of PyTorch; imported when one is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

import torch.utils.data

if TYPE_CHECKING:
    from narscope._batch import Tensors
    from narscope._stream import Stream


class StreamDataset(torch.utils.data.IterableDataset):  # type: ignore[misc, type-arg, unused-ignore]
    """The batches of a stream, shared among the workers of a data loader."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    def __iter__(self) -> Iterator[Tensors]:
        worker: Any = torch.utils.data.get_worker_info()
        first, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
        return (self.stream[index].to_torch() for index in count(first, workers))
