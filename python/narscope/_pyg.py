"""Samples as graphs of PyTorch Geometric."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from narscope._optional import require
from narscope._sampling import spec

if TYPE_CHECKING:
    from narscope._batch import Sample
    from narscope._specs import Probe


def to_data(sample: Sample) -> Any:
    """The ``Data`` of a sample."""
    torch = require("torch", purpose="Batch.to_pyg", extra="pyg")
    geometric = require("torch_geometric", purpose="Batch.to_pyg", extra="pyg")
    adjacency = sample.inputs.get("adj")
    edges = np.ones((sample.n, sample.n)) if adjacency is None else adjacency
    sources, targets = np.nonzero(edges)
    data = geometric.data.Data(
        edge_index=torch.from_numpy(np.stack([sources, targets])), num_nodes=sample.n
    )
    probes = spec(sample.algorithm)
    stages = [
        ("inputs", probes.inputs, sample.inputs),
        ("hints", probes.hints, sample.hints),
        ("outputs", probes.outputs, sample.outputs),
    ]
    used: set[str] = set()
    for stage, of_stage, arrays in stages:
        names = []
        for name, array in arrays.items():
            # An input and an output may share their name.
            key = name if name not in used else f"{stage[:-1]}_{name}"
            used.add(key)
            names.append(key)
            # Contiguous, as PyTorch has no negative strides.
            values = np.ascontiguousarray(_placed(array, of_stage[name], stage == "hints", sources, targets))
            data[key] = torch.from_numpy(values)
        data[stage] = names
    data.length = sample.length
    return data


def _placed(array: Any, probe: Probe, over_time: bool, sources: Any, targets: Any) -> Any:
    """An array with the location as first axis and the step, if there is one, as last axis."""
    steps = np.moveaxis(np.asarray(array), 0, -1) if over_time else np.asarray(array)
    if probe.location == "edge":
        return steps[sources, targets]
    return steps[None] if probe.location == "graph" else steps
