"""Maximum subarrays: each returns the first and the last index, the sum, and the probes."""

from typing import Any

import numpy as np

from narscope.clrs.algorithms import _run
from narscope.clrs.probing import ProbesDict


def _maximum(name: str, A: np.ndarray) -> tuple[tuple[int, int, Any], ProbesDict]:
    probes = _run.run(name, key=A)
    start, end = _run.marked(probes, "start"), _run.marked(probes, "end")
    return (start, end, np.asarray(A)[start : end + 1].sum()), probes


def find_maximum_subarray(A: np.ndarray) -> tuple[tuple[int, int, Any], ProbesDict]:
    """By divide and conquer."""
    return _maximum("find_maximum_subarray", A)


def find_maximum_subarray_kadane(A: np.ndarray) -> tuple[tuple[int, int, Any], ProbesDict]:
    """By Kadane's algorithm.

    >>> find_maximum_subarray_kadane(np.array([1, -3, 2, 3]))[0][:2]
    (2, 3)
    """
    return _maximum("find_maximum_subarray_kadane", A)
