"""The command line of the package."""

from __future__ import annotations

import subprocess
from pathlib import Path

import narscope as ns


def run(command: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120)


def test_the_package_has_the_command_line_of_rust(command: list[str]) -> None:
    version = run(command, "--version")
    assert version.returncode == 0 and version.stdout.startswith(f"narscope {ns.__version__}")
    listed = run(command, "list", "algorithms")
    assert all(name in listed.stdout for name in ("bfs", "dijkstra", "insertion_sort"))


def test_exit_codes_tell_success_failure_and_wrong_usage(command: list[str], tmp_path: Path) -> None:
    failed = run(command, "evaluate", str(tmp_path / "nothing"))
    assert failed.returncode == 1 and failed.stderr.startswith("error: there is no run in this folder")
    assert run(command, "no-such-command").returncode == 2
    assert "Usage: narscope" in run(command, "--help").stdout


def test_a_file_is_the_same_as_the_arrays(command: list[str], tmp_path: Path) -> None:
    import numpy as np

    file = tmp_path / "bfs.npz"
    done = run(command, *f"sample bfs --length 8 --num 4 --seed 3 --out {file}".split())
    assert done.returncode == 0, done.stderr
    batch = ns.sample("bfs", n=8, num=4, seed=3)
    with np.load(file) as arrays:
        np.testing.assert_array_equal(arrays["input/A"], batch.inputs["A"])
        np.testing.assert_array_equal(arrays["hint/pi_h"], batch.hints["pi_h"].swapaxes(0, 1))
