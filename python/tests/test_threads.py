"""Threads, signals and forks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import narscope as ns


def same(one: ns.Batch, other: ns.Batch) -> bool:
    return all(np.array_equal(one.inputs[name], other.inputs[name]) for name in one.inputs)


def test_two_threads_get_what_one_would() -> None:
    def draw(seed: int) -> ns.Batch:
        return ns.sample("dijkstra", n=16, num=64, seed=seed)

    alone = [draw(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(draw, range(8)))
    assert all(same(one, other) for one, other in zip(alone, together, strict=True))


def test_other_threads_of_python_run_while_rust_works() -> None:
    finished = threading.Event()
    counted = 0

    def work() -> None:
        for seed in range(3):
            ns.sample("floyd_warshall", n=48, num=64, seed=seed)
        finished.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not finished.is_set():
        counted += 1
        time.sleep(0)
    worker.join()
    assert counted > 100, "with the lock held, this thread would have waited"


def test_own_algorithms_run_in_several_threads_at_once() -> None:
    def body(key: np.ndarray) -> object:  # type: ignore[misc]
        yield {"h": key}
        return {"y": np.sort(key)}

    spec = {
        "key": ("input", "node", "scalar"),
        "h": ("hint", "node", "scalar"),
        "y": ("output", "node", "scalar"),
    }
    own = ns.algorithm(body, name="own_threads", spec=spec, instance="array")
    with ThreadPoolExecutor(4) as threads:
        batches = list(threads.map(lambda seed: ns.sample(own, n=8, num=32, seed=seed), range(8)))
    for batch in batches:
        assert np.array_equal(batch.outputs["y"], np.sort(batch.inputs["key"], axis=1))


def test_a_number_of_threads_changes_no_result() -> None:
    before = ns.threads()
    try:
        ns.set_threads(1)
        one = ns.sample("bfs", n=16, num=256, seed=4)
        ns.set_threads(3)
        three = ns.sample("bfs", n=16, num=256, seed=4)
    finally:
        ns.set_threads(before)
    assert same(one, three)


INTERRUPTED = """
import sys
import narscope as ns

print("started", flush=True)
try:
    {work}
except KeyboardInterrupt as interrupt:
    print("interrupted:", interrupt, flush=True)
    # The interpreter is as good as before.
    assert ns.sample("bfs", n=8, num=2).n == 8
    sys.exit(3)
print("not interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    "work",
    [
        "ns.sample('floyd_warshall', n=24, num=20_000)",
        "ns.train('bfs', out={out!r}, steps=1_000_000, hidden_size=8, processor='pgn', eval_every=1_000_000)",
        "ns.analyse({run!r}, 'dimensionality', n=64, graphs=4_000)",
    ],
    ids=["sampling", "training", "analysis"],
)
def test_ctrl_c_ends_work_with_a_keyboard_interrupt(work: str, tmp_path: Path, bellman_ford: ns.Run) -> None:
    import shutil

    run = tmp_path / "bellman_ford"
    shutil.copytree(bellman_ford.path, run)
    script = INTERRUPTED.format(work=work.format(out=str(tmp_path / "run"), run=str(run)))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    assert process.returncode == 3, rest
    if "ns.train" in work:
        assert "continue with narscope.train(resume=" in rest
        assert (tmp_path / "run" / "last.safetensors").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_samples() -> None:
    expected = ns.sample("bfs", n=8, num=64, seed=9)
    script = """
import os, narscope as ns
ns.sample("bfs", n=8, num=64)
child = os.fork()
if child == 0:
    ns.sample("bfs", n=8, num=64, seed=9)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout == "7\n", done.stderr
    assert same(expected, ns.sample("bfs", n=8, num=64, seed=9))
