"""Reports of runs: the answers and figures of all analyses on one HTML page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from narscope import _narscope
from narscope._analyse import RunLike, folder_of, settings_of
from narscope._sampling import name_of

__all__ = ["Report", "report"]


class Report:
    """A page that was written. In a notebook it is shown."""

    def __init__(self, path: Path, left_out: list[str]) -> None:
        #: The file.
        self.path = path
        #: Analyses that do not apply, with the reason.
        self.left_out = left_out

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"<Report {self.path}>"

    def _repr_html_(self) -> str:
        from html import escape

        page = escape(self.path.read_text(encoding="utf-8"), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 48em; border: 0"></iframe>'


def report(
    run: RunLike | Sequence[RunLike],
    out: str | os.PathLike[str] | None = None,
    *,
    n: int | None = None,
    graphs: int | None = None,
    directed: bool | None = None,
    steps: int | None = None,
    seed: int | None = None,
    images: int | None = None,
    clusters: int | None = None,
    cluster_images: int | None = None,
    scored: int | None = None,
    protocol: str | None = None,
    c: float | None = None,
    p: float | None = None,
    components: int | None = None,
    full: bool = False,
    algorithm: Any = None,
) -> Report:
    """Writes one HTML page with the answers and figures of all analyses.

    Analyses without a cached answer run first; this takes minutes unless samples are few. Several runs are compared, and
    averaged if they differ only in their seed.

    :param run: a run or its folder, or several.
    :param out: the file to write; ``report.html`` in the folder of the first run by default.

    The other parameters are those of ``ns.analyse``.
    """
    runs: list[Any] = list(run) if isinstance(run, list | tuple) else [run]
    folders = [folder_of(one) for one in runs]
    settings = settings_of(
        n=n,
        graphs=graphs,
        directed=directed,
        steps=steps,
        seed=seed,
        images=images,
        clusters=clusters,
        cluster_images=cluster_images,
        scored=scored,
        protocol=protocol,
        c=c,
        p=p,
        components=components,
    )
    path = Path(out) if out is not None else Path(folders[0] if folders else ".") / "report.html"
    words = [*(repr(folder) for folder in folders), *(f"{key}={value!r}" for key, value in settings.items())]
    command = f"narscope.report({', '.join(words)})"
    only = None if algorithm is None else name_of(algorithm)
    return Report(path, _narscope.report(folders, path, settings, full, only, command))
