"""Analyses and reports from Python."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import narscope as ns

#: So few samples that every analysis takes a moment.
FEW = {"n": 16, "graphs": 24, "images": 4, "clusters": 17, "cluster_images": 4, "scored": 20}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, bellman_ford: ns.Run) -> ns.Run:
    """A trained network in a folder of its own: answers are cached beside it."""
    folder = tmp_path_factory.mktemp("runs") / "bellman_ford"
    shutil.copytree(bellman_ford.path, folder)
    return ns.Run.load(folder)


def test_every_analysis_is_listed_with_its_question() -> None:
    questions = ns.analyses()
    assert {"dimensionality", "symmetries", "attractors", "walkthrough"} <= set(questions)
    assert all(question.endswith("?") for question in questions.values())
    assert set(questions) <= set(dir(ns.analyse))


@pytest.mark.parametrize("name", list(ns.analyses()))
def test_every_analysis_answers_with_data_and_figures(run: ns.Run, name: str) -> None:
    if name == "shared_space":
        with pytest.raises(ns.InputError, match="shared_space needs"):
            ns.analyse(run, name, **FEW)
        return
    answer = ns.analyse(run, name, **FEW)
    assert answer.name == name
    assert answer.question == ns.analyses()[name]
    assert answer.sentence
    assert isinstance(answer.data, dict)
    assert all(isinstance(value, float | int) for value in answer.measures.values())
    assert len(answer.figures) >= 1
    assert answer.figures[0]._repr_svg_().startswith("<svg")


def test_answers_are_those_of_the_command_line(run: ns.Run, command: list[str]) -> None:
    flags = [f"--{'length' if key == 'n' else key.replace('_', '-')}={value}" for key, value in FEW.items()]
    printed = subprocess.run(
        [*command, "--quiet", "analyse", str(run.path), "dimensionality", "--json", *flags],
        check=True,
        capture_output=True,
        text=True,
    )
    [expected] = json.loads(printed.stdout)
    answer = ns.analyse(run.path, "dimensionality", **FEW)
    assert (answer.sentence, answer.data) == (expected["sentence"], expected["data"])


def test_an_analysis_is_an_attribute_too(run: ns.Run) -> None:
    answer = ns.analyse.dimensionality(run, **FEW)
    assert answer.data == ns.analyse(run, "dimensionality", **FEW).data
    assert ns.analyse.dimensionality.__doc__ == ns.analyses()["dimensionality"]
    with pytest.raises(AttributeError, match="there is no analysis 'dimensions'; analyses are dimensionality"):
        ns.analyse.dimensions


def test_answers_are_cached_and_computed_again_when_asked(run: ns.Run) -> None:
    first = ns.analyse(run, "score", **FEW)
    file = run.path / "answers" / "score.json"
    written = file.stat().st_mtime_ns
    assert ns.analyse(run, "score", **FEW).data == first.data
    assert file.stat().st_mtime_ns == written
    assert ns.analyse(run, "score", again=True, **FEW).data == first.data
    assert file.stat().st_mtime_ns > written


def test_measures_and_data_are_tables(run: ns.Run) -> None:
    pytest.importorskip("pandas")
    answer = ns.analyse(run, "dimensionality", **FEW)
    measures = answer.to_pandas()
    assert dict(measures["value"]) == answer.measures
    tables = answer.tables
    assert tables
    assert all(len(table) > 0 for table in tables.values())


def test_a_recording_is_analysed(run: ns.Run, tmp_path: Path) -> None:
    file = run.record(tmp_path / "states.safetensors", n=8, num=24)
    assert ns.analyse(file, "dimensionality").data["graphs"] > 0
    with pytest.raises(ValueError, match="is a recording, whose algorithm and samples are fixed"):
        ns.analyse(file, "dimensionality", algorithm="bfs")


ROADS = [("Zoo", "Museum", 4), ("Museum", "Castle", 2), ("Castle", "Harbour", 5), ("Zoo", "Park", 3)]


def test_an_instance_of_ours_is_analysed_and_not_cached(run: ns.Run) -> None:
    before = sorted(run.path.rglob("*"))
    answer = ns.analyse.walkthrough(run, instance=ROADS, source="Zoo", directed=False, rescale=True)
    assert "Harbour" in answer.figures[0]._repr_svg_()
    assert sorted(run.path.rglob("*")) == before
    with pytest.raises(ValueError, match="n and seed apply to random samples only"):
        ns.analyse.walkthrough(run, instance=ROADS, n=5)
    with pytest.raises(ValueError, match="source, target and rescale apply to an instance of yours"):
        ns.analyse.walkthrough(run, source="Zoo")
    with pytest.raises(ValueError, match="Airport"):
        ns.analyse.walkthrough(run, instance=ROADS, source="Airport")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"graphs": 1}, "graphs should be at least 2, found 1"),
        ({"graphs": "many"}, 'graphs: invalid type: string "many"'),
        ({"graphs": -1}, "graphs: invalid value: integer `-1`"),
        ({"c": 0.9}, "c should be above 0 and at most 0.5, found 0.9"),
        ({"p": float("nan")}, "p should be a finite number, found"),
        ({"protocol": "as-told"}, "protocol: unknown variant `as-told`, expected `as-stated` or `as-coded`"),
        ({"checkpoint": "first"}, "checkpoint should be"),
        ({"algorithm": "bfs"}, "was trained on bellman_ford: choose one of them"),
    ],
)
def test_a_wrong_setting_is_named(run: ns.Run, settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ns.analyse(run, "score", **settings)


def test_an_unknown_analysis_and_a_missing_run_are_told(run: ns.Run, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='unknown analysis "dimensions"; the closest name is "dimensionality"'):
        ns.analyse(run, "dimensions")
    with pytest.raises(FileNotFoundError, match="there is no run in this folder"):
        ns.analyse(tmp_path / "nowhere", "score")
    with pytest.raises(TypeError, match="graph"):
        ns.analyse(run, "score", graph=3)  # type: ignore[call-arg]


def test_a_report_is_one_page(run: ns.Run, tmp_path: Path) -> None:
    report = ns.report(run, tmp_path / "page.html", **FEW)
    page = report.path.read_text(encoding="utf-8")
    assert page.startswith("<!") or page.startswith("<html")
    assert "narscope.report(" in page and "Hidden states of" in page
    assert report._repr_html_().startswith("<iframe")
    with pytest.raises(ValueError, match="a report needs at least one run, found none"):
        ns.report([])
    with pytest.raises(FileNotFoundError):
        ns.report(tmp_path / "nowhere", tmp_path / "page.html", **FEW)
