"""Samples, conversions and chunks have the digests that dm-clrs gave, without dm-clrs."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import narscope.clrs as clrs

GOLDEN = Path(__file__).parents[3] / "crates/narscope-clrs/tests/golden"


def cases(file):
    if not GOLDEN.is_dir():
        return []
    loaded = json.loads((GOLDEN / file).read_text(encoding="utf-8"))["cases"]
    return [pytest.param(case, id=f"{case['algorithm']}-{place}") for place, case in enumerate(loaded)]


def digest(values):
    data = np.ascontiguousarray(values, dtype="<f8").tobytes()
    return hashlib.sha256(data).hexdigest()[:16]


def digests(feedback):
    stages = {"input": feedback.features.inputs, "hint": feedback.features.hints, "output": feedback.outputs}
    return {f"{stage}/{point.name}": digest(point.data) for stage, points in stages.items() for point in points}


def sampler_of(case):
    return clrs.build_sampler(
        case["algorithm"],
        case["num"],
        case["length"],
        seed=case["seed"],
        track_max_steps=case.get("track_max_steps", True),
        **case["options"],
    )


def whole_set(sampler):
    yield sampler.next()


@pytest.mark.parametrize("case", cases("samples.json"))
def test_samples_of_all_algorithms_have_the_values_of_the_reference(case):
    sampler, _ = sampler_of(case)
    batch = sampler.next()
    assert batch.features.lengths.tolist() == case["lengths"]
    # Digests of hints are of samples without their padding, one after the other.
    inputs = {f"input/{point.name}": digest(point.data) for point in batch.features.inputs}
    outputs = {f"output/{point.name}": digest(point.data) for point in batch.outputs}
    hints = {
        f"hint/{point.name}": digest(
            np.concatenate([point.data[: int(steps), i].ravel() for i, steps in enumerate(case["lengths"])])
        )
        for point in batch.features.hints
    }
    assert inputs | hints | outputs == case["digests"]


@pytest.mark.parametrize("case", cases("batches.json"))
def test_batches_have_the_values_of_the_reference(case):
    sampler, _ = sampler_of(case)
    for wanted in case["batches"]:
        batch = sampler.next(case["batch"])
        assert batch.features.lengths.tolist() == wanted["lengths"]
        assert len(batch.features.hints[0].data) == wanted["steps"]
        assert digests(batch) == wanted["digests"]


@pytest.mark.parametrize("case", cases("conversions.json"))
def test_conversions_have_the_values_of_the_reference(case):
    sampler, spec = sampler_of(case)
    stream = whole_set(sampler)
    if case["random_pos_seed"] is not None:
        stream = clrs.process_random_pos(stream, np.random.RandomState(case["random_pos_seed"]))
    if case["pred_as_input"]:
        spec, stream = clrs.process_pred_as_input(spec, stream)
    if case["enforce_permutations"] is not None:
        spec, stream = clrs.process_permutations(spec, stream, case["enforce_permutations"])
    assert sorted([name, *row] for name, row in spec.items()) == sorted(case["probes"])
    assert digests(next(stream)) == case["digests"]


@pytest.mark.parametrize("case", cases("chunks.json"))
def test_chunks_have_the_values_of_the_reference(case):
    sampler, _ = sampler_of(case)
    batches = (sampler.next(case["batch"]) for _ in iter(int, 1))
    chunks = clrs.chunkify(batches, case["chunk_length"])
    for wanted in case["chunks"]:
        chunk = next(chunks)
        assert chunk.features.is_first.tolist() == wanted["is_first"]
        assert chunk.features.is_last.tolist() == wanted["is_last"]
        assert digests(chunk) == wanted["digests"]
