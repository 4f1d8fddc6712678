"""Figures: in notebooks and in files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import narscope as ns


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory, bellman_ford: ns.Run) -> ns.Figures:
    folder = tmp_path_factory.mktemp("runs") / "bellman_ford"
    shutil.copytree(bellman_ford.path, folder)
    return ns.analyse(folder, "dimensionality", n=8, graphs=24).figures


def test_a_figure_shows_itself_in_notebooks(figures: ns.Figures) -> None:
    figure = figures[0]
    assert figure._repr_svg_().startswith("<svg") and figure._repr_svg_().rstrip().endswith("</svg>")
    assert figure.title and figure.caption
    assert figures._repr_html_().count("<svg") == len(figures)
    assert figure.name in repr(figures)


@pytest.mark.parametrize(("format", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_figure_is_saved_in_the_format_of_the_extension(
    figures: ns.Figures, tmp_path: Path, format: str, start: bytes
) -> None:
    path = figures[0].save(tmp_path / "new" / f"figure.{format}", dpi=50)
    assert path.read_bytes().startswith(start)
    assert [it.name for it in figures.save(tmp_path, format, dpi=50)] == [f"{it.name}.{format}" for it in figures]


def test_width_and_colours_can_be_chosen(figures: ns.Figures) -> None:
    figure = figures[0]
    narrow, wide = figure.render("svg", width=85), figure.render("svg", width=170)
    assert narrow != wide
    assert figure.render("svg", dark=True) != figure.render("svg")
    small, large = figure.render("png", dpi=40), figure.render("png", dpi=80)
    assert len(small) < len(large)


def test_figures_are_the_same_every_time(figures: ns.Figures) -> None:
    assert figures[0].render("svg") == figures[0].render("svg")


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("figure", {}, "should end with .svg, .png or .pdf"),
        ("figure.jpg", {}, 'saved as svg, png or pdf, not as "jpg"'),
        ("figure.png", {"dpi": 1e9}, "dpi should be a number from 30 to 1200, found 1000000000"),
        ("figure.png", {"dpi": float("nan")}, "dpi should be a number from 30 to 1200, found NaN"),
        ("figure.svg", {"width": -5.0}, "width should be a number from 40 to 1000, found -5"),
    ],
)
def test_what_cannot_be_saved_is_told(
    figures: ns.Figures, tmp_path: Path, name: str, options: dict[str, float], sentence: str
) -> None:
    with pytest.raises(ns.InputError, match=sentence):
        figures[0].save(tmp_path / name, **options)
    assert not (tmp_path / name).exists()


def test_a_slice_of_figures_is_figures(figures: ns.Figures) -> None:
    assert isinstance(figures[:1], ns.Figures) and len(figures[:1]) == 1
