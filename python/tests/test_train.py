"""Training from Python."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import narscope as ns
from narscope import _narscope
from narscope._options import Configuration
from narscope._training import _Line

TINY: dict[str, Any] = {
    "processor": "pgn",
    "hidden_size": 8,
    "train_lengths": [4],
    "batch_size": 2,
    "eval_every": 2,
}


def test_training_gives_the_weights_of_the_command_line(tmp_path: Path, command: list[str]) -> None:
    run = ns.train("bfs", out=tmp_path / "ours", train_steps=3, seed=5, **TINY)
    flags = "--algorithms bfs --train_steps 3 --seed 5 --processor pgn --hidden_size 8 --train_lengths 4 --batch_size 2 --eval_every 2"
    subprocess.run([*command, "train", *flags.split(), "--out", str(tmp_path / "theirs"), "--quiet"], check=True)
    theirs = ns.Run.load(tmp_path / "theirs")
    for name, array in run.weights.items():
        np.testing.assert_array_equal(array, theirs.weights[name])
    assert list(run.scores) == list(theirs.scores)


def test_typed_keys_are_those_of_rust() -> None:
    typed = set(get_type_hints(Configuration))
    keys = {name for name, _, _ in _narscope.config_help()}
    assert keys - typed == {"algorithms"}
    others = {other for _, _, others in _narscope.config_help() for other in others}
    assert typed - keys <= others


def test_a_callback_gets_every_validation_and_may_end_training(tmp_path: Path) -> None:
    events: list[ns.Event] = []

    def two(event: ns.Event) -> bool:
        events.append(event)
        return len(events) < 2

    run = ns.train("bfs", out=tmp_path / "run", train_steps=100, callback=two, **TINY)
    assert [event.step for event in events] == [1, 3] and events[0].steps == 100
    assert events[0].is_best and 0 <= events[0].score <= 1 and events[0].losses["bfs"] > 0
    assert not run.scores and run.history[-1]["step"] == 3
    # What was saved continues.
    done = ns.train(resume=run.path, train_steps=5)
    assert done.history.where(split="test")[0]["step"] == 5


def test_a_run_of_the_same_configuration_is_continued_or_returned(tmp_path: Path) -> None:
    first = ns.train("bfs", out=tmp_path / "run", train_steps=3, **TINY)
    written = (tmp_path / "run/last.safetensors").stat().st_mtime_ns
    again = ns.train("bfs", out=tmp_path / "run", train_steps=3, **TINY)
    assert (tmp_path / "run/last.safetensors").stat().st_mtime_ns == written
    assert list(again.scores) == list(first.scores)
    with pytest.raises(ns.InputError, match="there is a run in this folder already"):
        ns.train("bfs", out=tmp_path / "run", train_steps=4, **TINY)


def test_an_exception_in_a_callback_saves_and_comes_through(tmp_path: Path) -> None:
    def fail(_: ns.Event) -> None:
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        ns.train("bfs", out=tmp_path / "run", train_steps=100, callback=fail, **TINY)
    assert (tmp_path / "run/last.safetensors").exists()


def test_ctrl_c_saves_and_says_how_to_continue(tmp_path: Path) -> None:
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt, match=r"saved after step \d+; continue with narscope.train\(resume="):
        ns.train("bfs", out=tmp_path / "run", train_steps=10_000_000, **{**TINY, "eval_every": 10_000})
    assert (tmp_path / "run/last.safetensors").exists()


def test_two_threads_train_at_once(tmp_path: Path) -> None:
    names = ["bfs", "dijkstra"]
    threads = [
        threading.Thread(target=lambda name=name: ns.train(name, out=tmp_path / name, train_steps=3, **TINY))
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in names:
        alone = ns.train(name, out=tmp_path / f"{name} alone", train_steps=3, **TINY)
        together = ns.Run.load(tmp_path / name)
        for weight, array in alone.weights.items():
            np.testing.assert_array_equal(array, together.weights[weight])


def test_other_threads_of_python_run_while_we_train(tmp_path: Path) -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    ns.train("bfs", out=tmp_path / "run", train_steps=200, **{**TINY, "eval_every": 1000})
    done.set()
    thread.join()
    assert counted > 10


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"hiden_size": 8}, 'unknown key "hiden_size"; the closest name is "hidden_size"'),
        ({"hidden_size": "big"}, "hidden_size: invalid type"),
        ({"hidden_size": -1}, "hidden_size"),
        ({"processor": "mpn"}, 'unknown processor "mpn"; the closest name is "mpnn"'),
        ({"learning_rate": float("inf")}, "learning_rate should be a finite number, found inf"),
        ({"preset": "papre"}, 'unknown preset "papre"'),
        ({"algorithms": "bsf"}, 'unknown algorithm "bsf"'),
        ({"decay": 2}, "decay should be from 0 to 1, found 2"),
        ({"batch_size": 10**12}, "batch_size should be at most 65536, found 1000000000000"),
    ],
)
def test_a_mistake_in_a_key_is_a_value_error(keys: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    arguments = {"algorithms": "bfs", "train_steps": 1, "out": tmp_path / "run", **TINY, **keys}
    with pytest.raises(ValueError) as caught:
        ns.train(**arguments)
    assert sentence in str(caught.value)
    # The corrected call may want the same folder.
    assert not (tmp_path / "run").exists()


def test_files_and_presets_come_before_keywords(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text("hidden_size = 4\ntrain_steps = 2\nprocessor_type = 'pgn'\n")
    keys: dict[str, Any] = {"train_lengths": 4, "batch_size": 2, "hidden_size": 6}
    run = ns.train("bfs", preset="paper", config=file, out=tmp_path / "run", **keys)
    assert run.config["hidden_size"] == 6 and run.config["train_steps"] == 2
    assert run.config["random_pos"] is False, "of the preset"
    with pytest.raises(ns.InputError, match=r"nothing\.toml"):
        ns.train("bfs", config=tmp_path / "nothing.toml", out=tmp_path / "other")


def test_what_cannot_change_when_a_run_continues_is_said(small: ns.Run) -> None:
    with pytest.raises(ns.InputError, match="hidden_size cannot change when a run continues"):
        ns.train(resume=small.path, hidden_size=4)
    with pytest.raises(FileNotFoundError, match="no run in this folder"):
        ns.train(resume="nowhere")


def test_the_default_folder_is_that_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = ns.train(["bfs", "dijkstra"], train_steps=1, seed=7, **TINY)
    assert run.path == Path("runs/bfs+dijkstra/pgn/seed=7")


def test_progress_has_rate_and_time_left_and_is_silent_in_logs(tmp_path: Path) -> None:
    file = io.StringIO()
    line = _Line(file)
    line.update("started", {"step": 5})
    line.start = (line.start[0] - 10, 5)
    line.update("progress", {"step": 15, "steps": 115, "loss": 0.5})
    line.end()
    assert file.getvalue() == "\rstep 15/115, 1/s, 1:40 left, loss 0.5000\n"
    program = f"import narscope as ns; ns.train('bfs', out={str(tmp_path / 'run')!r}, train_steps=2, **{TINY!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "" and done.stdout == ""
