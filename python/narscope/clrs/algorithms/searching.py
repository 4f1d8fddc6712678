"""Searching an array."""

from typing import Any

import numpy as np

from narscope.clrs.algorithms import _run
from narscope.clrs.probing import ProbesDict


def minimum(A: np.ndarray) -> tuple[int, ProbesDict]:
    """The index of the smallest key.

    >>> minimum(np.array([3, 1, 2]))[0]
    1
    """
    probes = _run.run("minimum", key=A)
    return _run.marked(probes, "min"), probes


def binary_search(x: float, A: np.ndarray) -> tuple[int, ProbesDict]:
    """The index of the first key that is not below ``x``, in a sorted array."""
    probes = _run.run("binary_search", key=A, target=x)
    return _run.marked(probes, "return"), probes


def quickselect(A: np.ndarray) -> tuple[Any, ProbesDict]:
    """The median: the key of rank ``len(A) // 2``."""
    probes = _run.run("quickselect", key=A)
    return np.asarray(A)[_run.marked(probes, "median")], probes
