"""Geometry in the plane."""

import numpy as np

from narscope.clrs.algorithms import _run
from narscope.clrs.probing import ProbesDict


def segments_intersect(xs: np.ndarray, ys: np.ndarray) -> tuple[int, ProbesDict]:
    """Whether the segment of the first two points crosses that of the last two.

    >>> segments_intersect(np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1]))[0]
    1
    """
    probes = _run.run("segments_intersect", x=xs, y=ys)
    return int(_run.output(probes, "intersect")), probes


def graham_scan(xs: np.ndarray, ys: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The mask of the points on the convex hull, by Graham's scan."""
    probes = _run.run("graham_scan", x=xs, y=ys)
    return _run.output(probes, "in_hull"), probes


def jarvis_march(xs: np.ndarray, ys: np.ndarray) -> tuple[np.ndarray, ProbesDict]:
    """The mask of the points on the convex hull, by Jarvis' march."""
    probes = _run.run("jarvis_march", x=xs, y=ys)
    return _run.output(probes, "in_hull"), probes
