"""Batches of samples, in the layout of CLRS."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from narscope._errors import InputError
from narscope._optional import require

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]


class Tensors(NamedTuple):
    """The arrays of a batch as tensors of another package; a tuple, so that JAX takes it as a tree."""

    inputs: dict[str, Any]
    hints: dict[str, Any]
    outputs: dict[str, Any]
    lengths: Any


def _shapes(title: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    def shown(name: str, array: NDArray[Any]) -> str:
        dtype = "" if array.dtype == np.float64 else f" {array.dtype}"
        return f"{name} {array.shape}{dtype}"

    return f"  {title:<7} " + ", ".join(shown(name, array) for name, array in arrays.items())


class Batch:
    """Samples of one algorithm and one size.

    Arrays are NumPy's, with the types, shapes and values of CLRS: inputs and outputs ``[B, …]``, hints ``[T, B, …]``
    padded with zeros. ``lengths`` has the number of hints of each sample. They are yours: change them, and
    :meth:`narscope.Run.predict` takes the changed ones.

    >>> import narscope as ns
    >>> batch = ns.sample("bfs", n=4, num=3, seed=1)
    >>> batch
    Batch of 3 samples of bfs, n = 4, up to 3 hints
      inputs  pos (3, 4), s (3, 4), A (3, 4, 4) int64, adj (3, 4, 4)
      hints   reach_h (3, 3, 4), pi_h (3, 3, 4)
      outputs pi (3, 4) int64
    >>> len(batch), batch[0].outputs["pi"].shape, batch[1:].inputs["A"].shape
    (3, (4,), (2, 4, 4))
    """

    __slots__ = ("algorithm", "hints", "inputs", "lengths", "n", "outputs")

    def __init__(
        self,
        algorithm: str,
        *,
        inputs: Arrays,
        hints: Arrays,
        outputs: Arrays,
        lengths: NDArray[Any],
        n: int | None = None,
    ) -> None:
        if n is None:
            if "pos" not in inputs:
                raise InputError('a batch needs n, the number of nodes, or inputs["pos"], which has it')
            n = int(np.shape(inputs["pos"])[-1])
        self.algorithm = algorithm
        self.inputs = inputs
        self.hints = hints
        self.outputs = outputs
        self.lengths = lengths
        #: The number of nodes.
        self.n = n

    @classmethod
    def _of(cls, algorithm: str, arrays: tuple[int, Arrays, Arrays, Arrays, NDArray[Any]]) -> Batch:
        """What Rust gives."""
        n, inputs, hints, outputs, lengths = arrays
        return cls(algorithm, inputs=inputs, hints=hints, outputs=outputs, lengths=lengths, n=n)

    def __len__(self) -> int:
        return len(self.lengths)

    @overload
    def __getitem__(self, index: int) -> Sample: ...

    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any]) -> Batch: ...

    def __getitem__(self, index: int | slice | Sequence[int] | NDArray[Any]) -> Sample | Batch:
        """One sample without padding, or a batch of several."""
        try:
            one = operator.index(index)  # type: ignore[arg-type]
        except TypeError:
            return Batch(
                self.algorithm,
                inputs={name: array[index] for name, array in self.inputs.items()},
                hints={name: array[:, index] for name, array in self.hints.items()},
                outputs={name: array[index] for name, array in self.outputs.items()},
                lengths=self.lengths[index],
                n=self.n,
            )
        steps = int(self.lengths[one])
        return Sample(
            self.algorithm,
            inputs={name: array[one] for name, array in self.inputs.items()},
            hints={name: array[:steps, one] for name, array in self.hints.items()},
            outputs={name: array[one] for name, array in self.outputs.items()},
            n=self.n,
        )

    def __iter__(self) -> Iterator[Sample]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        hints = int(max(self.lengths, default=0))
        lines = [f"Batch of {len(self)} samples of {self.algorithm}, n = {self.n}, up to {hints} hints"]
        lines.append(_shapes("inputs", self.inputs))
        lines.append(_shapes("hints", self.hints))
        lines.append(_shapes("outputs", self.outputs))
        return "\n".join(lines)

    def to_torch(self) -> Tensors:
        """The arrays as tensors of PyTorch, which share their memory."""
        torch = require("torch", purpose="Batch.to_torch", extra="torch")
        return self._mapped(torch.from_numpy)

    def to_jax(self) -> Tensors:
        """The arrays as arrays of JAX, in its default precision: single, unless you have enabled double."""
        jax = require("jax", purpose="Batch.to_jax", extra="jax")
        return self._mapped(jax.numpy.asarray)

    def to_pyg(self) -> list[Any]:
        """One ``torch_geometric.data.Data`` per sample.

        ``edge_index`` has the edges of the input ``adj``, or all pairs of nodes without one. Probes of nodes are
        ``[n, …]``, of edges ``[edges, …]``, of graphs ``[1, …]``; hints have the step as last axis. The lists
        ``inputs``, ``hints`` and ``outputs`` have their names, ``length`` the number of hints.
        """
        from narscope._pyg import to_data

        return [to_data(sample) for sample in self]

    def _mapped(self, convert: Any) -> Tensors:
        def all_of(arrays: Arrays) -> dict[str, Any]:
            return {name: convert(array) for name, array in arrays.items()}

        return Tensors(
            all_of(self.inputs), all_of(self.hints), all_of(self.outputs), convert(self.lengths)
        )


class Sample:
    """One execution of an algorithm: inputs, the hints of every step ``[T, …]``, outputs.

    >>> import narscope as ns
    >>> sample = ns.trace("bfs", [("a", "b"), ("b", "c")])
    >>> sample
    Sample of bfs, n = 3, 3 hints, nodes 'a', 'b', 'c'
      inputs  pos (3,), s (3,), A (3, 3) int64, adj (3, 3)
      hints   reach_h (3, 3), pi_h (3, 3)
      outputs pi (3,) int64
    >>> [sample.names[node] for node in sample.outputs["pi"]]
    ['a', 'a', 'b']
    """

    __slots__ = ("algorithm", "directed", "hints", "inputs", "n", "names", "outputs")

    def __init__(
        self,
        algorithm: str,
        *,
        inputs: Arrays,
        hints: Arrays,
        outputs: Arrays,
        n: int,
        names: Sequence[Any] | None = None,
        directed: bool | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.inputs = inputs
        self.hints = hints
        self.outputs = outputs
        self.n = n
        #: What its nodes are called; their numbers, if they have no names.
        self.names = list(range(n)) if names is None else list(names)
        #: Whether edges were read with a direction; None if it is not a graph of yours.
        self.directed = directed

    @property
    def length(self) -> int:
        """The number of hints."""
        return len(next(iter(self.hints.values()), ()))

    def steps(self) -> Iterator[Arrays]:
        """The hints step by step."""
        return ({name: array[step] for name, array in self.hints.items()} for step in range(self.length))

    def batch(self) -> Batch:
        """A batch of this sample alone."""
        return Batch(
            self.algorithm,
            inputs={name: np.asarray(array)[None] for name, array in self.inputs.items()},
            hints={name: array[:, None] for name, array in self.hints.items()},
            outputs={name: np.asarray(array)[None] for name, array in self.outputs.items()},
            lengths=np.array([float(self.length)]),
            n=self.n,
        )

    def __repr__(self) -> str:
        title = f"Sample of {self.algorithm}, n = {self.n}, {self.length} hints"
        if self.names != list(range(self.n)):
            most = 8
            shown = ", ".join(repr(name) for name in self.names[:most])
            title += f", nodes {shown}" + (", …" if self.n > most else "")
        lines = [title, _shapes("inputs", self.inputs)]
        lines.append(_shapes("hints", self.hints))
        lines.append(_shapes("outputs", self.outputs))
        return "\n".join(lines)
