"""Endless samples for training elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from narscope._errors import InputError
from narscope._optional import require
from narscope._sampling import name_of, sample

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from narscope._batch import Batch
    from narscope._options import SamplerOptions

# Seeds have 32 bits.
_SEEDS = 1 << 32


class Stream:
    """An endless iterator over batches, whose sizes take turns.

    Batch ``i`` depends on the arguments and ``i`` only: ``stream[i]`` is what the iterator yields as its ``i``-th batch,
    and the workers of a data loader share the batches of one stream among them. No two batches of a stream are drawn
    with the same seed.

    >>> import narscope as ns
    >>> stream = ns.Stream("bfs", n=range(4, 17), batch=32, seed=1)
    >>> [next(stream).n for _ in range(3)]
    [4, 5, 6]
    >>> bool((stream[1].inputs["A"] == ns.Stream("bfs", n=range(4, 17), batch=32, seed=1)[1].inputs["A"]).all())
    True
    """

    def __init__(
        self,
        algorithm: Any,
        *,
        n: int | Iterable[int] = range(4, 17),
        batch: int = 32,
        seed: int = 1,
        **options: Unpack[SamplerOptions],
    ) -> None:
        self.algorithm = name_of(algorithm)
        self.n = tuple(n) if isinstance(n, Iterable) else (n,)
        if not self.n:
            raise InputError("n should be a number of nodes or several, found none")
        self.batch = batch
        self.seed = seed
        self.options = options
        #: The number of the next batch.
        self.position = 0
        # Mistakes in the arguments are found here and not in a worker.
        sample(self.algorithm, n=min(self.n), num=1, seed=seed, **options)

    def __getitem__(self, index: int) -> Batch:
        if index < 0:
            raise IndexError(f"the batches of a stream are numbered from 0, found {index}")
        return sample(
            self.algorithm,
            n=self.n[index % len(self.n)],
            num=self.batch,
            seed=(_scattered(self.seed) + index) % _SEEDS,
            **self.options,
        )

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Batch:
        batch = self[self.position]
        self.position += 1
        return batch

    def to_torch(self) -> Any:
        """A ``torch.utils.data.IterableDataset`` of :class:`narscope.Tensors`, from the first batch on.

        Give it to a ``DataLoader`` with ``batch_size=None``, as it yields whole batches. With several workers, worker
        ``w`` of ``W`` makes the batches ``w``, ``w + W``, …
        """
        require("torch", purpose="Stream.to_torch", extra="torch")
        from narscope._torch import StreamDataset

        return StreamDataset(self)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        n = self.n[0] if len(self.n) == 1 else list(self.n)
        return f"Stream({self.algorithm!r}, n={n}, batch={self.batch}, seed={self.seed}{options})"


def _scattered(seed: int) -> int:
    """A seed far from those of other seeds, so that streams with neighbouring seeds have no batches in common.

    The mixing function of MurmurHash3 for 32 bits, which maps different seeds to different numbers.
    """
    mixed = seed % _SEEDS
    for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13)):
        mixed = (mixed ^ (mixed >> shift)) * factor % _SEEDS
    return mixed ^ (mixed >> 16)
