"""Weights in and out."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import narscope as ns

KEYS: dict[str, Any] = {"processor": "pgn", "hidden_size": 8, "steps": 4, "train_lengths": [4, 5], "batch_size": 4}


def test_weights_that_are_set_are_used(small: ns.Run, tmp_path: Path) -> None:
    run = ns.Run.load(small.path)
    batch = ns.sample("bfs", n=5, num=2, seed=1)
    before = run.predict(batch).output_logits["pi"]
    weights = run.weights
    name = next(name for name in weights if name.startswith("processor"))
    run.set_weights({name: weights[name] * 2})
    assert (run.predict(batch).output_logits["pi"] != before).any()
    np.testing.assert_array_equal(run.weights[name], weights[name] * 2)
    # The folder stays as it is; a copy has the new ones.
    np.testing.assert_array_equal(small.weights[name], weights[name])
    copy = run.save(tmp_path / "copy")
    np.testing.assert_array_equal(copy.predict(batch).output_logits["pi"], run.predict(batch).output_logits["pi"])
    run.set_weights(weights)
    np.testing.assert_array_equal(run.predict(batch).output_logits["pi"], before)


def test_weights_that_do_not_fit_are_refused(small: ns.Run) -> None:
    name, array = next(iter(small.weights.items()))
    with pytest.raises(ns.InputError, match="no weights 'wieghts'|no weights \"wieghts\""):
        small.set_weights({"wieghts": array})
    with pytest.raises(ns.InputError, match="should have the shape"):
        small.set_weights({name: np.zeros((3, 3, 3))})
    with pytest.raises(ns.InputError, match="finite values, found NaN"):
        small.set_weights({name: np.full_like(array, np.nan)})


@pytest.mark.parametrize("ending", ["npz", "pkl"])
def test_weights_go_to_dm_clrs_and_back(small: ns.Run, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"params.{ending}"
    params = ns.weights.to_clrs(small, file)
    assert all("/" in module for module in params)
    for source in (file, params):
        out = tmp_path / f"from {type(source).__name__}"
        back = ns.weights.from_clrs(source, out=out, algorithms=["insertion_sort", "bfs"], **KEYS)
        for name, array in small.weights.items():
            np.testing.assert_array_equal(back.weights[name], array)


class _Dangerous:
    """What a pickle must not run."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('a pickle was run')",))


def test_a_pickle_is_read_without_running_it(small: ns.Run, tmp_path: Path) -> None:
    file = tmp_path / "best.pkl"
    params = ns.weights.to_clrs(small)
    file.write_bytes(pickle.dumps({"params": params, "opt_state": [_Dangerous(), np.float32(1)]}))
    run = ns.weights.from_clrs(file, out=tmp_path / "run", algorithms=["insertion_sort", "bfs"], **KEYS)
    assert run.algorithms == ["insertion_sort", "bfs"]


def test_files_that_are_no_weights_are_refused(small: ns.Run, tmp_path: Path) -> None:
    text = tmp_path / "text.pkl"
    text.write_text("not a pickle")
    for file, error in [(text, ns.InputError), (tmp_path / "none.npz", FileNotFoundError)]:
        with pytest.raises(error, match=file.name):
            ns.weights.from_clrs(file, out=tmp_path / "x", algorithms="bfs")
    with pytest.raises(ns.InputError, match="not of gat"):
        params = ns.weights.to_clrs(small)
        ns.weights.from_clrs(
            params, out=tmp_path / "x", algorithms=["insertion_sort", "bfs"], **{**KEYS, "processor": "gat"}
        )
    with pytest.raises(ns.InputError, match=r"\.npz or \.pkl"):
        ns.weights.to_clrs(small, tmp_path / "weights.txt")
