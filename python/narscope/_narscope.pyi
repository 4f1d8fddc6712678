"""What Rust exports. The package around it checks less and explains more: use that."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from narscope._batch import Batch

__all__ = [
    "Answer",
    "Picture",
    "Run",
    "__version__",
    "algorithm_options",
    "algorithm_specs",
    "analyse",
    "analyses_list",
    "clrs",
    "command_line",
    "config_help",
    "define_algorithm",
    "from_clrs",
    "option_help",
    "report",
    "run_algorithm",
    "sample",
    "set_threads",
    "threads",
    "to_clrs",
    "trace",
    "train",
]

_Arrays = dict[str, NDArray[Any]]
# The number of nodes, inputs, hints, outputs, lengths.
_Batch = tuple[int, _Arrays, _Arrays, _Arrays, NDArray[np.float64]]
# A batch, or n, num, seed and options of new samples, or a split of the benchmark.
_Samples = Batch | tuple[int, int, int, dict[str, Any]] | str
_Path = str | os.PathLike[str]

__version__: str

# algorithms.rs
def algorithm_specs() -> dict[str, dict[str, Any]]: ...
def algorithm_options(algorithm: str) -> list[str]: ...

# command_line.rs
def command_line(executable: _Path, arguments: Sequence[str]) -> int: ...

# config.rs
def config_help() -> list[tuple[str, str, list[str]]]: ...

# pool.rs
def set_threads(number: int) -> None:
    """Sets the number of threads; 0: as many as there are cores. Results do not depend on it."""

def threads() -> int:
    """The number of threads."""

# sample.rs
def sample(algorithm: str, n: int, num: int, seed: int, options: dict[str, Any]) -> _Batch: ...
def option_help() -> list[tuple[str, str]]: ...

# trace.rs
def trace(
    algorithm: str,
    form: str,
    content: Any,
    source: str | None,
    target: float | None,
    directed: bool | None,
) -> tuple[_Batch, list[str], bool | None]: ...

# train.rs
def train(
    keys: dict[str, Any],
    preset: str | None,
    files: Sequence[_Path],
    out: _Path | None,
    resume: _Path | None,
    notify: Callable[[str, dict[str, Any]], object],
) -> tuple[Path, bool]: ...

# weights.rs
def from_clrs(
    parameters: dict[str, Any],
    out: _Path,
    keys: dict[str, Any],
    preset: str | None,
) -> None: ...
def to_clrs(run: Run) -> dict[str, NDArray[np.float32]]: ...

# run.rs
@final
class Run:
    @staticmethod
    def open(folder: _Path, checkpoint: str) -> Run: ...
    @property
    def path(self) -> Path: ...
    @property
    def config(self) -> dict[str, Any]: ...
    def evaluate(
        self,
        algorithm: str | None,
        samples: _Samples,
        hints: bool,
        per_sample: bool,
        more_steps: int,
        hook: Callable[..., Any] | None,
    ) -> list[dict[str, Any]]: ...
    def predict(
        self,
        algorithm: str | None,
        batch: Batch,
        hidden: bool,
        more_steps: int,
        hook: Callable[..., Any] | None,
    ) -> tuple[
        _Arrays,
        _Arrays,
        dict[str, NDArray[np.float32]],
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.float32] | None,
    ]: ...
    def record(
        self,
        file: _Path,
        algorithm: str | None,
        samples: _Samples,
        over_nodes: str,
        force: bool,
    ) -> None: ...
    def weights(self) -> dict[str, NDArray[np.float32]]: ...
    def set_weights(self, given: dict[str, Any]) -> None: ...
    def save(self, folder: _Path) -> None: ...

# dynamic.rs
def define_algorithm(
    name: str,
    summary: str,
    category: str | None,
    spec: Sequence[tuple[str, str, str, str, Sequence[str]]],
    instances: str | None,
    draw: Callable[..., Any] | None,
    run: Callable[..., Any],
) -> None: ...
def run_algorithm(algorithm: str, n: int, inputs: Sequence[NDArray[Any]]) -> _Batch: ...

# analyse.rs
def analyses_list() -> list[dict[str, Any]]: ...
def analyse(
    path: _Path,
    name: str,
    settings: dict[str, Any],
    full: bool,
    algorithm: str | None,
    which: str,
    again: bool,
    instance: tuple[str, Any, str | None, float | None, bool | None] | None,
    rescale: bool,
) -> Answer: ...
@final
class Answer:
    def content(self) -> dict[str, Any]: ...
    def pictures(self) -> list[Picture]: ...

@final
class Picture:
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def caption(self) -> str: ...
    def render(self, format: str, width: float | None, dpi: float, dark: bool) -> bytes: ...

# report.rs
def report(
    runs: Sequence[_Path],
    out: _Path,
    settings: dict[str, Any],
    full: bool,
    algorithm: str | None,
    command: str,
) -> list[str]: ...

# clrs/: what `narscope.clrs` builds on.
clrs: ModuleType
