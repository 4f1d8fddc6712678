"""Sorting: each returns the sorted array and the probes."""

import numpy as np

from narscope.clrs.algorithms import _run
from narscope.clrs.clrs_text.clrs_utils import predecessors_to_order
from narscope.clrs.probing import ProbesDict


def _sort(name: str, A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    probes = _run.run(name, key=A)
    return np.asarray(A)[predecessors_to_order(_run.output(probes, "pred"))], probes


def insertion_sort(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """Insertion sort.

    >>> insertion_sort(np.array([3, 1, 2]))[0]
    array([1, 2, 3])
    """
    return _sort("insertion_sort", A)


def bubble_sort(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """Bubble sort."""
    return _sort("bubble_sort", A)


def heapsort(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """Heapsort."""
    return _sort("heapsort", A)


def quicksort(A: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """Quicksort."""
    return _sort("quicksort", A)
