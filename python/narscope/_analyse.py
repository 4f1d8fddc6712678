"""Analyses of trained networks, by name.

``ns.analyse(run, "dimensionality")`` and ``ns.analyse.dimensionality(run)`` are the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, Protocol, cast

from narscope import _narscope
from narscope._errors import InputError
from narscope._figure import Figure, Figures
from narscope._instance import Instance, instance_of
from narscope._optional import require
from narscope._sampling import name_of

__all__ = ["Answer", "analyse", "analyses"]


class _HasPath(Protocol):
    @property
    def path(self) -> Any: ...


#: A run, its folder, or the file of a recording.
RunLike = str | os.PathLike[str] | _HasPath


def folder_of(run: RunLike) -> str:
    """The path of a run that is given as an object or as its path."""
    path: Any = getattr(run, "path", run)
    return str(os.fspath(path))


def settings_of(
    *,
    n: int | None,
    graphs: int | None,
    directed: bool | None,
    steps: int | None,
    seed: int | None,
    images: int | None,
    clusters: int | None,
    cluster_images: int | None,
    scored: int | None,
    protocol: str | None,
    c: float | None,
    p: float | None,
    components: int | None,
) -> dict[str, Any]:
    """The samples that were asked for, under the names that the library has for them."""
    direction = None if directed is None else "directed" if directed else "undirected"
    given = {
        "length": n,
        "graphs": graphs,
        "direction": direction,
        "steps": steps,
        "seed": seed,
        "images": images,
        "clusters": clusters,
        "cluster_images": cluster_images,
        "scored": scored,
        "protocol": protocol,
        "c": c,
        "p": p,
        "components": components,
    }
    return {name: value for name, value in given.items() if value is not None}


class Answer:
    """The answer of an analysis: a sentence, numbers, data and figures."""

    def __init__(self, native: Any) -> None:
        self._native = native
        content = native.content()
        #: The analysis.
        self.name: str = content["analysis"]
        #: The question that it answers.
        self.question: str = content["question"]
        #: The answer in a sentence, with numbers.
        self.sentence: str = content["sentence"]
        #: Everything that was found, as dictionaries, lists and numbers.
        self.data: dict[str, Any] = content["data"]
        self._measures: list[dict[str, Any]] = content["measures"]

    @property
    def measures(self) -> dict[str, float]:
        """The numbers of the answer, by key. Shares are from 0 to 1."""
        return {measure["key"]: measure["value"] for measure in self._measures}

    @property
    def figures(self) -> Figures:
        """The figures of the answer."""
        return Figures([Figure(picture) for picture in self._native.pictures()])

    @property
    def tables(self) -> dict[str, Any]:
        """Every table in :attr:`data` as a DataFrame, by where it is: lists of records, and lists of numbers of equal length.

        Needs pandas.
        """
        frame = require("pandas", purpose="Answer.tables", extra="pandas").DataFrame
        return {path: frame(rows) for path, rows in _tables(self.data, "")}

    def to_pandas(self) -> Any:
        """The measures as a DataFrame: key, label, value, whether it is a share, standard error. Needs pandas."""
        columns = ["key", "label", "value", "is_share", "error"]
        pandas = require("pandas", purpose="Answer.to_pandas", extra="pandas")
        return pandas.DataFrame(self._measures, columns=columns).set_index("key")

    def __repr__(self) -> str:
        return f"<Answer {self.name}: {self.sentence}>"

    def _repr_html_(self) -> str:
        from html import escape

        head = f"<p><b>{escape(self.question)}</b><br>{escape(self.sentence)}</p>"
        return head + self.figures._repr_html_()


def _tables(data: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Places in nested data that are tables: a list of dictionaries, or of lists of scalars."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _tables(value, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list) and data:
        if all(isinstance(row, dict) for row in data):
            flat = [{key: value for key, value in row.items() if not isinstance(value, (dict, list))} for row in data]
            if any(flat):
                yield path, flat
            for place, row in enumerate(data):
                for key, value in row.items():
                    yield from _tables(value, f"{path}[{place}].{key}")
        elif all(not isinstance(value, (dict, list)) for value in data):
            yield path, {path.rsplit(".", 1)[-1]: data}
        elif all(isinstance(row, list) and row and not isinstance(row[0], (dict, list)) for row in data):
            if len({len(row) for row in data}) == 1:
                yield path, data


class _Analyse:
    """Runs analyses: ``analyse(run, name)`` or ``analyse.name(run)``."""

    def __call__(
        self,
        run: RunLike,
        name: str,
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
        checkpoint: str = "best",
        again: bool = False,
        instance: Instance | None = None,
        source: Any = None,
        target: float | None = None,
        rescale: bool = False,
    ) -> Answer:
        """Runs an analysis of a run, or returns its answer if it is cached beside the run.

        :param run: a run, its folder, or the file of a recording.
        :param name: the analysis; :func:`analyses` lists all.
        :param n: number of nodes of each graph (64).
        :param graphs: number of random graphs whose trajectories are analysed (640).
        :param directed: whether edges have a direction; as in the benchmark by default.
        :param steps: only graphs that take so many steps, for analyses of whole trajectories.
        :param seed: seed of the samples (1).
        :param images: number of images of a graph under each symmetry (48).
        :param clusters: number of clusters of reweighted graphs (64).
        :param cluster_images: number of graphs in each cluster (16).
        :param scored: number of graphs that scores are measured on (48).
        :param protocol: ``"as-stated"`` or ``"as-coded"``, where the paper's text and code differ; both by default.
        :param c: potentials of reweighted graphs are from (0, c).
        :param p: probability of an edge in base graphs of clusters.
        :param components: number of principal components that are the directions of a cluster (2).
        :param full: as many samples as the paper.
        :param algorithm: the algorithm to analyse, for a run of several.
        :param checkpoint: ``"best"`` or ``"last"``.
        :param again: ignore a cached answer.
        :param instance: a graph or another instance of yours in place of random ones, as ``ns.trace`` takes it, with
            its ``source`` or ``target``. Such answers are not cached.
        :param rescale: divide the weights of ``instance`` so that they are in the range of training.
        """
        own = None
        if instance is not None:
            if n is not None or seed is not None:
                raise InputError("n and seed apply to random samples only, not to an instance of yours")
            form, content, _, stated = instance_of(instance)
            start = None if source is None else str(source)
            key = None if target is None else float(target)
            own = (form, content, start, key, stated if directed is None else directed)
        elif source is not None or target is not None or rescale:
            raise InputError("source, target and rescale apply to an instance of yours, but there is none")
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
        only = None if algorithm is None else name_of(algorithm)
        native = _narscope.analyse(
            folder_of(run), name, settings, full, only, checkpoint, again, own, rescale
        )
        return Answer(native)

    def __getattr__(self, name: str) -> Callable[..., Answer]:
        names = [analysis["name"] for analysis in _narscope.analyses_list()]
        if name not in names:
            raise AttributeError(f"there is no analysis {name!r}; analyses are {', '.join(names)}")

        def named(run: RunLike, **settings: Any) -> Answer:
            return self(run, name, **settings)

        named.__name__ = name
        named.__doc__ = next(item["question"] for item in _narscope.analyses_list() if item["name"] == name)
        return named

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(analysis["name"] for analysis in _narscope.analyses_list())]


analyse = _Analyse()


def analyses() -> dict[str, str]:
    """The name of every analysis, and the question that it answers.

    >>> import narscope as ns
    >>> "dimensionality" in ns.analyses()
    True
    """
    return {cast(str, item["name"]): cast(str, item["question"]) for item in _narscope.analyses_list()}
