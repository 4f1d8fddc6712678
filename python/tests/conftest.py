"""What several tests use."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import narscope as ns

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def command() -> list[str]:
    """The command line."""
    return [sys.executable, "-m", "narscope"]


@pytest.fixture(autouse=True)
def _in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Doctests name files of the repository."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def bellman_ford() -> ns.Run:
    """A trained network that comes with the repository."""
    return ns.Run.load(ROOT / "crates/narscope/networks/linear_pgn-42")


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> ns.Run:
    """A network of two algorithms, one of which has a permutation as output, trained for a moment."""
    return ns.train(
        ["insertion_sort", "bfs"],
        out=tmp_path_factory.mktemp("runs") / "small",
        processor="pgn",
        steps=4,
        hidden_size=8,
        train_lengths=[4, 5],
        batch_size=4,
        eval_every=2,
    )
