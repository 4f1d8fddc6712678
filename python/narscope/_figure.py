"""Figures that show themselves in notebooks and save themselves to files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

from narscope._errors import InputError

__all__ = ["Figure", "Figures"]

class Figure:
    """A figure. In a notebook it is shown; elsewhere :meth:`save` it."""

    def __init__(self, picture: Any) -> None:
        self._picture = picture

    @property
    def name(self) -> str:
        """The name that its file has by default, without extension."""
        return str(self._picture.name)

    @property
    def title(self) -> str:
        """The finding, in words."""
        return str(self._picture.title)

    @property
    def caption(self) -> str:
        """How to read it."""
        return str(self._picture.caption)

    def render(self, format: str = "svg", *, width: float | None = None, dpi: float = 300.0, dark: bool = False) -> bytes:
        """The contents of a file.

        :param format: ``svg``, ``png`` or ``pdf``.
        :param width: width in millimetres; 85 is one column of a journal.
        :param dpi: dots per inch of a PNG.
        :param dark: with a dark background.
        """
        content: bytes = self._picture.render(format, width, dpi, dark)
        return content

    def save(self, path: str | os.PathLike[str], *, width: float | None = None, dpi: float = 300.0, dark: bool = False) -> Path:
        """Writes a file; the extension of its name says the format: ``.svg``, ``.png`` or ``.pdf``."""
        target = Path(path)
        format = target.suffix.lower().removeprefix(".")
        if not format:
            raise InputError(f"{target} should end with .svg, .png or .pdf, which says the format")
        content = self.render(format, width=width, dpi=dpi, dark=dark)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return target

    def _repr_svg_(self) -> str:
        return self.render("svg").decode()

    def __repr__(self) -> str:
        return f"<Figure {self.name}: {self.title}>"


class Figures(Sequence[Figure]):
    """Figures, one below the other in a notebook."""

    def __init__(self, figures: Sequence[Figure]) -> None:
        self._figures = list(figures)

    @overload
    def __getitem__(self, index: int) -> Figure: ...
    @overload
    def __getitem__(self, index: slice) -> Figures: ...
    def __getitem__(self, index: int | slice) -> Figure | Figures:
        found = self._figures[index]
        return Figures(found) if isinstance(found, list) else found

    def __len__(self) -> int:
        return len(self._figures)

    def save(self, folder: str | os.PathLike[str], format: str = "svg", **options: Any) -> list[Path]:
        """Writes every figure into a folder. Options are those of :meth:`Figure.save`."""
        return [figure.save(Path(folder) / f"{figure.name}.{format}", **options) for figure in self]

    def _repr_html_(self) -> str:
        return "".join(f'<div style="margin-bottom: 1em">{figure._repr_svg_()}</div>' for figure in self)

    def __repr__(self) -> str:
        return f"<Figures: {', '.join(figure.name for figure in self)}>"
