"""Neural algorithmic reasoning: the CLRS-30 benchmark, training and analyses, computed in Rust.

>>> import narscope as ns
>>> batch = ns.sample("bfs", n=16, num=32, seed=1)
>>> batch.inputs["A"].shape
(32, 16, 16)

``narscope.clrs`` stands in for the package ``clrs``. Everything is imported when it is first used, so that importing
narscope is quick; packages such as torch, jax and pandas only when a function is called that needs them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from narscope._errors import (
    Error,
    FileError,
    InputError,
    InternalError,
    MissingFileError,
    MissingPackageError,
)
from narscope._narscope import __version__, set_threads, threads

if TYPE_CHECKING:
    from narscope import clrs as clrs
    from narscope import weights as weights
    from narscope._algorithm import Algorithm, algorithm
    from narscope._analyse import Answer, analyse, analyses
    from narscope._batch import Batch, Sample, Tensors
    from narscope._figure import Figure, Figures
    from narscope._records import History, Scores
    from narscope._report import Report, report
    from narscope._run import Prediction, Run
    from narscope._sampling import algorithms, sample, trace
    from narscope._specs import Probe, Spec
    from narscope._stream import Stream
    from narscope._training import Event, train

# Where the public names are, for those that are imported when they are first used.
_FUNCTIONS_AND_CLASSES = {
    "Algorithm": "_algorithm",
    "Answer": "_analyse",
    "Batch": "_batch",
    "Event": "_training",
    "Figure": "_figure",
    "Figures": "_figure",
    "History": "_records",
    "Prediction": "_run",
    "Probe": "_specs",
    "Report": "_report",
    "Run": "_run",
    "Sample": "_batch",
    "Scores": "_records",
    "Spec": "_specs",
    "Stream": "_stream",
    "Tensors": "_batch",
    "algorithm": "_algorithm",
    "algorithms": "_sampling",
    "analyse": "_analyse",
    "analyses": "_analyse",
    "report": "_report",
    "sample": "_sampling",
    "trace": "_sampling",
    "train": "_training",
}
_MODULES = ("clrs", "weights")

__all__ = [
    "Algorithm",
    "Answer",
    "Batch",
    "Error",
    "Event",
    "Figure",
    "Figures",
    "FileError",
    "History",
    "InputError",
    "InternalError",
    "MissingFileError",
    "MissingPackageError",
    "Prediction",
    "Probe",
    "Report",
    "Run",
    "Sample",
    "Scores",
    "Spec",
    "Stream",
    "Tensors",
    "__version__",
    "algorithm",
    "algorithms",
    "analyse",
    "analyses",
    "clrs",
    "report",
    "sample",
    "set_threads",
    "threads",
    "trace",
    "train",
    "weights",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"narscope.{name}")
    if name in _FUNCTIONS_AND_CLASSES:
        module = importlib.import_module(f"narscope.{_FUNCTIONS_AND_CLASSES[name]}")
        value = getattr(module, name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'narscope' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
