"""Processors by name."""

from dataclasses import dataclass
from typing import Any, NoReturn

from narscope.clrs._unsupported import networks

PROCESSOR_TAG = "clrs_processor"
"""Part of the names of all parameters of processors."""

__getattr__ = networks(
    __name__,
    "DeepSets",
    "GAT",
    "GATFull",
    "GATv2",
    "GATv2Full",
    "GATv2FullD2",
    "MemNetFull",
    "MemNetMasked",
    "MPNN",
    "PGN",
    "PGNMask",
    "Processor",
    "get_triplet_msgs",
)


@dataclass(frozen=True)
class ProcessorFactory:
    """Which processor a :class:`narscope.clrs.models.BaselineModel` has."""

    kind: str
    use_ln: bool
    nb_triplet_fts: int
    nb_heads: int | None = None

    def __call__(self, out_size: int) -> NoReturn:
        """Not supported: processors are not JAX functions."""
        raise NotImplementedError(
            f"{self.kind} cannot be called: give the factory to models.BaselineModel, or use narscope.train"
        )

    def configuration(self) -> dict[str, Any]:
        """The keys of narscope's configuration that it sets."""
        # Without triplets, their number does not matter; without heads, neither does theirs.
        numbers = {"nb_triplet_fts": self.nb_triplet_fts, "nb_heads": self.nb_heads}
        return {
            "processor_type": self.kind,
            "use_ln": self.use_ln,
            **{key: number for key, number in numbers.items() if number},
        }


def get_processor_factory(
    kind: str, use_ln: bool, nb_triplet_fts: int, nb_heads: int | None = None
) -> ProcessorFactory:
    """A processor by name, such as ``mpnn`` or ``triplet_gmpnn``; ``narscope list processors`` lists them."""
    if kind.startswith("memnet"):
        raise NotImplementedError("memory networks are not supported: use mpnn, pgn, gat or triplet_gmpnn")
    return ProcessorFactory(kind, use_ln, nb_triplet_fts, nb_heads)
