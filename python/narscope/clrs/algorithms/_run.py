"""Runs an algorithm of narscope on arrays, and gives its probes in the form of dm-clrs."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from narscope._narscope import clrs as _native
from narscope.clrs import probing
from narscope.clrs.specs import SPECS, Stage


def run(name: str, **inputs: Any) -> probing.ProbesDict:
    """The probes of a run. ``inputs`` are the input probes except for positions and adjacency."""
    spec = SPECS[name]
    wanted = [probe for probe, row in spec.items() if row[0] == Stage.INPUT]
    values = {**_derived(inputs), **inputs}
    given = [np.asarray(values[probe], dtype=float)[None] for probe in wanted]
    arrays, _ = _native.trace(name, given)
    probes = probing.initialize(spec)
    data = iter(arrays)
    for stage in (Stage.INPUT, Stage.OUTPUT, Stage.HINT):
        axis = 1 if stage == Stage.HINT else 0
        for probe, (of_stage, location, _) in spec.items():
            if of_stage == stage:
                probes[stage][location][probe]["data"] = next(data).squeeze(axis)
    return probes


def _derived(inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The inputs that follow from others: positions of nodes, and which of them are adjacent."""
    if "A" in inputs:
        weights = np.asarray(inputs["A"])
        return {"pos": positions(len(weights)), "adj": probing.graph(weights)}
    return {"pos": positions(len(next(iter(inputs.values()))))}


def positions(nodes: int) -> np.ndarray:
    """Nodes evenly spaced from 0 to 1."""
    return np.arange(nodes) / nodes


def output(probes: probing.ProbesDict, name: str) -> np.ndarray:
    """The data of an output."""
    for location in probes[Stage.OUTPUT].values():
        if name in location:
            return location[name]["data"]
    raise KeyError(name)


def marked(probes: probing.ProbesDict, name: str) -> int:
    """The node that a one-hot output marks."""
    return int(output(probes, name).argmax())
