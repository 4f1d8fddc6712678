"""Errors: a sentence and an exception of Python's kind, whatever is passed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import narscope as ns
from narscope import _narscope


def test_exceptions_are_also_those_of_python() -> None:
    assert issubclass(ns.InputError, ns.Error) and issubclass(ns.InputError, ValueError)
    assert issubclass(ns.MissingFileError, ns.Error) and issubclass(ns.MissingFileError, FileNotFoundError)
    assert issubclass(ns.FileError, OSError)
    assert issubclass(ns.MissingPackageError, ImportError)
    assert issubclass(ns.InternalError, ns.Error) and not issubclass(ns.InternalError, ValueError)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"algorithm": "djikstra"}, 'unknown algorithm "djikstra"; the closest name is "dijkstra"'),
        ({"n": -1}, "n should be a whole number from 1 to 10000, found -1"),
        ({"n": 10**30}, "n should be a whole number from 1 to 10000, found 10{30}"),
        ({"n": 2.5}, "n should be a whole number from 1 to 10000, found 2.5"),
        ({"n": "16"}, "n should be a whole number from 1 to 10000, found '16'"),
        ({"n": 1}, "insertion_sort: needs a length of at least 2, got 1"),
        ({"num": 0}, "num should be a whole number from 1"),
        ({"seed": -1}, "seed should be a whole number from 0 to 4294967295, found -1"),
        ({"seed": 2**32}, "seed should be a whole number from 0 to 4294967295, found 4294967296"),
        ({"low": float("nan")}, "low should be a finite number, found"),
        ({"p": 0.5}, "insertion_sort has no option p here; its options are low, high"),
        ({"hgih": 2.0}, 'unknown option "hgih"; the closest name is "high"'),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        ns.sample(**{"algorithm": "insertion_sort", **arguments})


def changed(change: Any) -> ns.Batch:
    """A batch whose weights were changed, with NaN, for instance."""
    batch = ns.sample("bellman_ford", n=5, num=3, seed=2)
    batch.inputs["A"] = change(batch.inputs["A"])
    return batch


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.astype(np.float32).astype(np.float64).astype(">f8"),
        np.asfortranarray,
        lambda a: np.ascontiguousarray(a[::-1])[::-1],
        lambda a: np.repeat(a, 2, axis=2)[:, :, ::2],
        lambda a: a.tolist(),
        lambda a: np.ascontiguousarray(a.transpose(2, 1, 0)).transpose(2, 1, 0),
    ],
    ids=["byte order", "Fortran", "negative strides", "every second", "lists", "transposed"],
)
def test_arrays_of_any_layout_give_the_same_prediction(bellman_ford: ns.Run, change: Any) -> None:
    given = changed(change)
    expected = changed(lambda a: np.array(given.inputs["A"], dtype=np.float64))
    one, other = bellman_ford.predict(given), bellman_ford.predict(expected)
    for name in one.output_logits:
        assert np.array_equal(one.output_logits[name], other.output_logits[name])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda a: np.where(a == a.max(), np.nan, a), r'inputs\["A"\].*finite number.*NaN'),
        (lambda a: np.where(a == a.max(), np.inf, a), r'inputs\["A"\].*finite number.*inf'),
        (lambda a: a[:, :, :4], r'inputs\["A"\] should have the shape \(3, 5, 5\), found \(3, 5, 4\)'),
        (lambda a: a[:2], r'inputs\["A"\] should have the shape \(3, 5, 5\), found \(2, 5, 5\)'),
        (lambda a: a[0], r'inputs\["A"\] should have the shape \(3, 5, 5\), found \(5, 5\)'),
        (lambda a: a.astype(complex), "should be an array of numbers, found one of type complex128"),
        (lambda a: a.astype(str), "should be an array of numbers, found one of type <U"),
        (lambda a: a.astype(object), "should be an array of numbers, found one of type object"),
        (lambda a: [[1.0], [1.0, 2.0]], "should be an array of numbers, found rows of different sizes"),
        (lambda a: None, "should be an array of numbers"),
        (lambda a: a[:0], r"should have the shape \(3, 5, 5\), found \(0, 5, 5\)"),
    ],
)
def test_arrays_that_are_no_batch_are_refused_by_name(bellman_ford: ns.Run, change: Any, sentence: str) -> None:
    with pytest.raises(ns.InputError, match=sentence):
        bellman_ford.predict(changed(change))


def test_a_batch_without_an_input_is_refused(bellman_ford: ns.Run) -> None:
    batch = ns.sample("bellman_ford", n=5, num=3)
    del batch.inputs["A"]
    with pytest.raises(ns.InputError, match=r'bellman_ford needs inputs\["A"\]'):
        bellman_ford.predict(batch)


@pytest.mark.parametrize("length", [0.0, -1.0, 1.5, float("nan"), 1e300])
def test_lengths_that_are_none_are_refused(bellman_ford: ns.Run, length: float) -> None:
    batch = ns.sample("bellman_ford", n=5, num=3)
    batch.lengths[1] = length
    with pytest.raises(ns.InputError):
        bellman_ford.predict(batch)


def test_a_panic_is_an_exception_that_asks_to_report_it() -> None:
    # The package checks sizes before it calls this.
    with pytest.raises(ns.InternalError, match="(?s)narscope has a bug here: .*; please report it"):
        _narscope.run_algorithm("bfs", 4, [np.zeros(3)])
    assert ns.sample("bfs", n=4, num=1).n == 4, "work goes on after it"


def test_missing_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no run in this folder"):
        ns.Run.load(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="nowhere.csv"):
        ns.trace("bfs", tmp_path / "nowhere.csv")


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("best.safetensors", lambda content: content[: len(content) // 2]),
        ("best.safetensors", lambda content: b""),
        ("best.safetensors", lambda content: content[:1000] + bytes([content[1000] ^ 1]) + content[1001:]),
        ("config.toml", lambda content: content + b"\nnonsense ="),
        ("config.toml", lambda content: content + b'\nhiden_size = 3\n'),
    ],
    ids=["half", "empty", "one bit", "no TOML", "unknown key"],
)
def test_damaged_files_are_a_sentence(tmp_path: Path, bellman_ford: ns.Run, file: str, damage: Any) -> None:
    folder = tmp_path / "run"
    shutil.copytree(bellman_ford.path, folder)
    (folder / file).write_bytes(damage((folder / file).read_bytes()))
    with pytest.raises(ns.Error, match=file.replace(".", r"\.")) as caught:
        ns.Run.load(folder)
    assert isinstance(caught.value, ValueError | OSError)


def test_sentences_are_those_of_the_command_line(command: list[str], tmp_path: Path) -> None:
    printed = subprocess.run([*command, "evaluate", str(tmp_path / "nowhere")], capture_output=True, text=True)
    with pytest.raises(ns.Error) as caught:
        ns.Run.load(tmp_path / "nowhere")
    assert str(caught.value) in printed.stderr


WITHOUT = """
import sys


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {package!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name={package!r})


sys.meta_path.insert(0, Missing())
import narscope as ns
try:
    {work}
except ImportError as error:
    assert isinstance(error, ns.MissingPackageError)
    print(error)
"""


@pytest.mark.parametrize(
    ("package", "work"),
    [
        ("torch", "ns.sample('bfs', n=4, num=1).to_torch()"),
        ("torch", "ns.Stream('bfs', n=4).to_torch()"),
        ("jax", "ns.sample('bfs', n=4, num=1).to_jax()"),
        ("torch_geometric", "ns.sample('bfs', n=4, num=1).to_pyg()"),
        ("pandas", "ns.Run.load('crates/narscope/networks/linear_pgn-42').scores.to_pandas()"),
    ],
)
def test_a_missing_package_is_named_with_what_installs_it(package: str, work: str, root: Path) -> None:
    script = WITHOUT.format(package=package, work=work)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stderr
    assert "pip install" in done.stdout and "narscope[" in done.stdout


def test_nothing_else_is_imported_until_it_is_asked_for() -> None:
    script = """
import sys
import narscope as ns
ns.sample("bfs", n=4, num=1), ns.algorithms(), ns.analyses()
print([name for name in ("torch", "jax", "pandas", "networkx", "scipy", "matplotlib") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
