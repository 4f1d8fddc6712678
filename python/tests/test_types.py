"""Types of the package, and of the stub of the extension module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")


def passes(root: Path, *arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_is_the_extension_module(root: Path) -> None:
    passes(root, "mypy.stubtest", "narscope._narscope", "--mypy-config-file", "pyproject.toml")


def test_the_package_has_the_types_that_it_states(root: Path) -> None:
    passes(root, "mypy", "--config-file", "pyproject.toml")
