"""Dynamic programming: each returns the table of choices, and the probes."""

import numpy as np

from narscope.clrs.algorithms import _run, strings
from narscope.clrs.probing import ProbesDict


def matrix_chain_order(p: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """Where to split each product of a chain of matrices with these sizes."""
    probes = _run.run("matrix_chain_order", p=p)
    # The last node is a size and not a matrix.
    return _run.output(probes, "s")[1:, 1:], probes


def lcs_length(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The direction of each cell in the table of the longest common subsequence of two strings."""
    probes = _run.run("lcs_length", **strings.inputs(x, y))
    table = _run.output(probes, "b")[: len(x), len(x) :]
    return table.argmax(-1).astype(float), probes


def optimal_bst(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The roots of the optimal binary search trees of all ranges of keys."""
    probes = _run.run("optimal_bst", p=np.append(p, 0), q=q)
    return _run.output(probes, "root"), probes
