"""String matching: each returns the offset of the first match, and the probes."""

import numpy as np

from narscope.clrs import probing
from narscope.clrs.algorithms import _run
from narscope.clrs.probing import ProbesDict

_LETTERS = 4


def inputs(T: np.ndarray, P: np.ndarray) -> dict[str, np.ndarray]:
    """The input probes of a problem of two strings."""
    return {
        "string": probing.strings_id(T, P),
        "pos": probing.strings_pos(T, P),
        "key": probing.array_cat(np.concatenate([T, P]), _LETTERS),
    }


def _match(name: str, T: np.ndarray, P: np.ndarray) -> tuple[int, ProbesDict]:
    probes = _run.run(name, **inputs(T, P))
    return _run.marked(probes, "match"), probes


def naive_string_matcher(T: np.ndarray, P: np.ndarray) -> tuple[int, ProbesDict]:
    """Tries every offset.

    >>> naive_string_matcher(np.array([1, 2, 1, 2, 3]), np.array([1, 2, 3]))[0]
    2
    """
    return _match("naive_string_matcher", T, P)


def kmp_matcher(T: np.ndarray, P: np.ndarray) -> tuple[int, ProbesDict]:
    """Knuth, Morris and Pratt's matcher."""
    return _match("kmp_matcher", T, P)
