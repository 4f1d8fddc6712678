"""Greedy algorithms: each returns the mask of what is selected, and the probes."""

import numpy as np

from narscope.clrs.algorithms import _run
from narscope.clrs.probing import ProbesDict


def activity_selector(s: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The largest set of activities that do not overlap, from their starts and finishes."""
    probes = _run.run("activity_selector", s=s, f=f)
    return _run.output(probes, "selected"), probes


def task_scheduling(d: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The tasks of unit length that meet their deadlines ``d``, so that the others cost least of the weights ``w``."""
    probes = _run.run("task_scheduling", d=d, w=w)
    return _run.output(probes, "selected"), probes
