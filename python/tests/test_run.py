"""Trained networks from Python."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import narscope as ns


def test_scores_are_those_of_the_command_line(bellman_ford: ns.Run, command: list[str]) -> None:
    scores = bellman_ford.evaluate(n=16, num=8, seed=7, p=0.3, hints=True)
    flags = "--length 16 --num 8 --seed 7 --p 0.3 --hints --json".split()
    done = subprocess.run(
        [*command, "evaluate", str(bellman_ford.path), *flags], capture_output=True, text=True, check=True
    )
    assert list(scores) == json.loads(done.stdout)["runs"][0]["evaluations"]
    assert 0.5 < scores.mean <= 1 and scores.of("bellman_ford")["samples"] == 8
    assert "bellman_ford: score" in repr(scores)


def test_a_batch_is_scored_as_the_same_new_samples_are(bellman_ford: ns.Run) -> None:
    batch = ns.sample("bellman_ford", n=12, num=5, seed=3)
    assert list(bellman_ford.evaluate(batch)) == list(bellman_ford.evaluate(n=12, num=5, seed=3))
    per_sample = bellman_ford.evaluate(batch, per_sample=True)[0]["per_sample"]
    prediction = bellman_ford.predict(batch)
    np.testing.assert_allclose([sample["score"] for sample in per_sample], prediction.scores)


def test_predictions_have_the_layout_of_the_batch(bellman_ford: ns.Run) -> None:
    batch = ns.sample("bellman_ford", n=8, num=4, seed=1)
    prediction = bellman_ford.predict(batch, hidden=True)
    steps = len(batch.hints["pi_h"]) - 1
    for name, array in prediction.outputs.items():
        assert array.shape == batch.outputs[name].shape and array.dtype == batch.outputs[name].dtype
    for name, array in prediction.hints.items():
        assert array.shape == batch.hints[name].shape
        np.testing.assert_array_equal(array[0], batch.hints[name][0])
    assert prediction.hidden is not None
    assert prediction.hidden.shape == (steps, 4, 8, 128) and prediction.hidden.dtype == np.float32
    assert prediction.output_logits["pi"].shape == (4, 8, 8)
    assert prediction.hint_logits["pi_h"].shape == (steps, 4, 8, 8)
    # A sample with a single hint takes one step all the same.
    np.testing.assert_array_equal(prediction.steps, np.maximum(batch.lengths - 1, 1))
    np.testing.assert_array_equal(prediction.output_logits["pi"].argmax(-1), prediction.outputs["pi"])
    right = (prediction.outputs["pi"] == batch.outputs["pi"]).mean()
    assert prediction.score == pytest.approx(right)
    assert bellman_ford.predict(batch).hidden is None
    assert "Prediction for 4 samples" in repr(prediction)


def test_states_after_the_last_step_of_a_sample_are_zero(bellman_ford: ns.Run) -> None:
    batch = ns.sample("bellman_ford", n=8, num=16, seed=1)
    prediction = bellman_ford.predict(batch, hidden=True)
    assert prediction.hidden is not None and prediction.steps.min() < prediction.steps.max()
    shortest = int(prediction.steps.argmin())
    assert (prediction.hidden[prediction.steps[shortest] :, shortest] == 0).all()
    assert (prediction.hidden[prediction.steps[shortest] - 1, shortest] != 0).any()


def test_predictions_do_not_depend_on_the_other_samples(bellman_ford: ns.Run) -> None:
    # More than are run at once.
    batch = ns.sample("bellman_ford", n=6, num=70, seed=4)
    everything = bellman_ford.predict(batch, hidden=True)
    one = bellman_ford.predict(batch[[69]], hidden=True)
    assert everything.hidden is not None and one.hidden is not None
    steps = int(one.steps[0])
    np.testing.assert_allclose(everything.hidden[:steps, 69], one.hidden[:, 0], rtol=1e-4, atol=1e-5)


def test_permutations_are_predicted_as_pointers_to_predecessors(small: ns.Run) -> None:
    batch = ns.sample("insertion_sort", n=5, num=6, seed=2)
    prediction = small.predict(batch)
    assert list(prediction.outputs) == ["pred"] and prediction.outputs["pred"].dtype == np.int64
    for pointers in prediction.outputs["pred"]:
        # One node is the head, which points to itself.
        assert (pointers == np.arange(5)).sum() >= 1


def test_a_trace_of_ones_own_is_predicted(bellman_ford: ns.Run) -> None:
    trip = ns.trace("bellman_ford", [("a", "b", 0.2), ("b", "c", 0.3)], source="a", directed=True)
    prediction = bellman_ford.predict(trip)
    assert prediction.outputs["pi"].shape == (1, 3)


def test_changed_arrays_are_what_is_predicted(bellman_ford: ns.Run) -> None:
    batch = ns.sample("bellman_ford", n=8, num=2, seed=1)
    before = bellman_ford.predict(batch).output_logits["pi"]
    batch.inputs["A"] = np.where(batch.inputs["A"] > 0, 0.5, 0.0)
    assert (bellman_ford.predict(batch).output_logits["pi"] != before).any()


@pytest.mark.parametrize("change", ["float32", "fortran", "reversed", "list"])
def test_arrays_of_any_type_and_layout_are_predicted(bellman_ford: ns.Run, change: str) -> None:
    batch = ns.sample("bellman_ford", n=8, num=2, seed=1)
    # Exact in single precision.
    batch.inputs["A"] = np.round(batch.inputs["A"] * 64) / 64
    expected = bellman_ford.predict(batch).output_logits["pi"]
    array = batch.inputs["A"]
    changed = {
        "float32": array.astype(np.float32),
        "fortran": np.asfortranarray(array),
        "reversed": array[::-1].copy()[::-1],
        "list": array.tolist(),
    }
    batch.inputs["A"] = changed[change]
    np.testing.assert_array_equal(bellman_ford.predict(batch).output_logits["pi"], expected)


def test_arrays_that_are_no_samples_are_refused_by_their_name(bellman_ford: ns.Run) -> None:
    def refused(field: str, name: str, value: object) -> str:
        batch = ns.sample("bellman_ford", n=8, num=2, seed=1)
        getattr(batch, field)[name] = value
        with pytest.raises(ValueError) as caught:
            bellman_ford.predict(batch)
        return str(caught.value)

    assert refused("inputs", "A", np.full((2, 8, 8), np.nan)).startswith('inputs["A"]: expected a finite number')
    assert refused("inputs", "A", np.full((2, 8, 8), 1e300)).startswith("A should have values of at most")
    shape = 'inputs["A"] should have the shape (2, 8, 8), found (2, 8)'
    assert refused("inputs", "A", np.zeros((2, 8))) == shape
    assert refused("outputs", "pi", np.full((2, 8), 8)).startswith('outputs["pi"]: expected a node from 0 to 7')
    assert refused("hints", "pi_h", np.array(["a"])).endswith("found one of type <U1")
    batch = ns.sample("bellman_ford", n=8, num=2, seed=1)
    del batch.hints["msk"]
    with pytest.raises(ns.InputError, match=r'bellman_ford needs hints\["msk"\]'):
        bellman_ford.predict(batch)
    with pytest.raises(ns.InputError, match="not trained on"):
        bellman_ford.predict(ns.sample("bfs", n=8, num=2))


def test_a_run_tells_its_configuration_history_and_scores(small: ns.Run) -> None:
    assert small.algorithms == ["insertion_sort", "bfs"] and small.config["hidden_size"] == 8
    assert small.history.where(split="val", algorithm="bfs")[0]["step"] == 1
    assert {record["split"] for record in small.history} == {"train", "val", "test"}
    assert [record["algorithm"] for record in small.scores] == small.algorithms
    assert "insertion_sort, bfs; pgn, hidden size 8, 4 steps; test score" in repr(small)
    assert "up to step 4" in repr(small.history)


def test_history_and_scores_are_frames_of_pandas(small: ns.Run) -> None:
    pytest.importorskip("pandas")
    history = small.history.to_pandas()
    assert len(history) == len(small.history) and "outputs/pi" in history.columns
    assert history.check.any() if "check" in history.columns else True
    scores = small.scores.to_pandas().set_index("algorithm")
    assert scores.loc["bfs", "outputs/pi"] == small.scores.of("bfs")["outputs"][0]["score"]
    assert "<table" in small.scores._repr_html_()


def test_a_recording_is_written_and_is_what_the_network_does(bellman_ford: ns.Run, tmp_path: Path) -> None:
    batch = ns.sample("bellman_ford", n=8, num=4, seed=1)
    file = bellman_ford.record(tmp_path / "states.npz", batch=batch, over_nodes="all")
    with np.load(file) as recorded:
        states = bellman_ford.predict(batch, hidden=True).hidden
        assert states is not None
        np.testing.assert_array_equal(recorded["hidden"], states.swapaxes(0, 1))
    with pytest.raises(ns.InputError, match="already exists"):
        bellman_ford.record(file, batch=batch)
    bellman_ford.record(file, n=6, num=3, seed=2, force=True)
    with pytest.raises(ns.InputError, match='over_nodes should be "max"'):
        bellman_ford.record(tmp_path / "x.npz", over_nodes="sum")


def test_two_threads_use_one_run(bellman_ford: ns.Run) -> None:
    batch = ns.sample("bellman_ford", n=16, num=16, seed=1)
    expected = bellman_ford.predict(batch).output_logits["pi"]
    found: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: found.append(bellman_ford.predict(batch).output_logits["pi"]))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    for logits in found:
        np.testing.assert_array_equal(logits, expected)


def test_what_is_missing_or_wrong_is_said(bellman_ford: ns.Run, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no run in this folder"):
        ns.Run.load(tmp_path)
    with pytest.raises(ns.InputError, match='checkpoint should be "best"'):
        ns.Run.load(bellman_ford.path, checkpoint="first")
    with pytest.raises(ns.InputError, match="p apply to new samples only"):
        bellman_ford.evaluate(p=0.5)
    with pytest.raises(ns.InputError, match="more_steps should be from"):
        bellman_ford.evaluate(n=4, num=1, more_steps=10**9)
    with pytest.raises(ns.InputError, match="split"):
        bellman_ford.evaluate(split="tset")
    with pytest.raises(KeyError, match="only of bellman_ford"):
        bellman_ford.evaluate(n=4, num=1).of("bfs")
