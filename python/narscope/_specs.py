"""What an algorithm is: its inputs, hints and outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from narscope import _narscope


@dataclass(frozen=True)
class Probe:
    """A named value that an algorithm exposes."""

    name: str
    #: ``input``, ``hint`` or ``output``.
    stage: str
    #: ``node``, ``edge`` or ``graph``.
    location: str
    #: As in CLRS: ``scalar``, ``mask``, ``mask_one``, ``categorical``, ``pointer``, ``should_be_permutation``, …
    type: str
    #: Names of the classes of a categorical probe.
    classes: tuple[str, ...]
    #: ``float64`` or ``int64``.
    dtype: str
    meaning: str


@dataclass(frozen=True, repr=False)
class Spec:
    """An algorithm with its probes.

    >>> import narscope as ns
    >>> ns.algorithms()["bfs"]
    bfs: breadth-first search from one source
      inputs  pos (node scalar), s (node mask_one), A (edge scalar), adj (edge mask)
      hints   reach_h (node mask), pi_h (node pointer)
      outputs pi (node pointer)
    """

    name: str
    summary: str
    category: str
    in_clrs_30: bool
    probes: tuple[Probe, ...] = field(default=())

    @property
    def inputs(self) -> dict[str, Probe]:
        """The inputs by name."""
        return self._of("input")

    @property
    def hints(self) -> dict[str, Probe]:
        """The hints by name."""
        return self._of("hint")

    @property
    def outputs(self) -> dict[str, Probe]:
        """The outputs by name."""
        return self._of("output")

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that its sampler takes, with some family of graphs.

        >>> import narscope as ns
        >>> ns.algorithms()["minimum"].options
        ('low', 'high', 'truncate_decimals')
        """
        return tuple(_narscope.algorithm_options(self.name))

    def _of(self, stage: str) -> dict[str, Probe]:
        return {probe.name: probe for probe in self.probes if probe.stage == stage}

    def __repr__(self) -> str:
        lines = [f"{self.name}: {self.summary}"]
        for title, probes in [("inputs", self.inputs), ("hints", self.hints), ("outputs", self.outputs)]:
            shown = ", ".join(f"{it.name} ({it.location} {it.type})" for it in probes.values())
            lines.append(f"  {title:<7} {shown}")
        return "\n".join(lines)


def spec_of(described: dict[str, Any]) -> Spec:
    """The spec that Rust describes."""
    probes = tuple(
        Probe(**{**probe, "classes": tuple(probe.get("classes", ()))}) for probe in described["probes"]
    )
    return Spec(**{**described, "probes": probes})
