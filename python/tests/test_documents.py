"""The code in the documents runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def blocks(document: str) -> list[str]:
    """The blocks of Python in a document, in order."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def test_the_blocks_of_the_guide_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = blocks("docs/python.md")
    assert len(found) >= 8
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "guide"}
    for place, block in enumerate(found):
        exec(compile(block, f"docs/python.md, block {place + 1}", "exec"), names)


def test_the_first_example_has_ten_lines() -> None:
    assert len(blocks("docs/python.md")[0].splitlines()) == 10
