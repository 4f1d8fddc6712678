"""The algorithms and the types of their probes, under the names of ``clrs.specs``."""

import types

from narscope._narscope import clrs as _native

Spec = dict[str, tuple[str, str, str]]


class Stage:
    """When a probe is known."""

    INPUT = "input"
    OUTPUT = "output"
    HINT = "hint"


class Location:
    """What the values of a probe are attached to."""

    NODE = "node"
    EDGE = "edge"
    GRAPH = "graph"


class Type:
    """How the values of a probe are represented."""

    SCALAR = "scalar"
    CATEGORICAL = "categorical"
    MASK = "mask"
    MASK_ONE = "mask_one"
    POINTER = "pointer"
    SHOULD_BE_PERMUTATION = "should_be_permutation"
    PERMUTATION_POINTER = "permutation_pointer"
    SOFT_POINTER = "soft_pointer"


class OutputClass:
    """Values of masks and of classes."""

    POSITIVE = 1
    NEGATIVE = 0
    MASKED = -1


ALGO_IDX_INPUT_NAME = "algo_idx"
"""Name of the extra input of memory networks, which narscope does not have."""


def _spec(rows: list[tuple[str, str, str, str]]) -> Spec:
    return {name: (stage, location, type_) for name, stage, location, type_ in rows}


_ALGORITHMS = _native.algorithm_specs()

SPECS: types.MappingProxyType[str, Spec] = types.MappingProxyType(
    {name: _spec(rows) for name, _, _, rows, _ in _ALGORITHMS}
)
"""The spec of each of the 32 algorithms."""

CLRS_30_ALGS_SETTINGS: dict[str, dict[str, int]] = {
    name: {"num_samples_multiplier": multiplier}
    for name, multiplier, in_clrs_30, _, _ in sorted(_ALGORITHMS)
    if in_clrs_30
}
"""The thirty algorithms of the benchmark, with the factor of their validation and test samples."""

CLRS_30_ALGS: list[str] = list(CLRS_30_ALGS_SETTINGS)
"""The names of the thirty algorithms of the benchmark."""

CONSTANT_HINTS: types.MappingProxyType[str, str] = types.MappingProxyType(
    {name: constant for name, _, _, _, constant in _ALGORITHMS if constant is not None}
)
"""The hint of an algorithm that is the same at every step, if it has one."""
