"""BaselineModel: training, prediction, weights and files."""

import numpy as np
import pytest

import narscope.clrs as clrs
from narscope.clrs import decoders, losses


def stream_of(name, batch_size=4, length=6, enforce=True):
    sampler, spec = clrs.build_sampler(name, 32, length, seed=1)
    batches = (sampler.next(batch_size) for _ in iter(int, 1))
    if name in clrs.specs.CONSTANT_HINTS:
        spec, batches = clrs.process_pred_as_input(spec, batches)
    return clrs.process_permutations(spec, batches, enforce)


def model_of(spec, processor="mpnn", **options):
    factory = clrs.get_processor_factory(processor, use_ln=True, nb_triplet_fts=4)
    options = {"hidden_dim": 16, "encode_hints": True, "learning_rate": 0.005, **options}
    model = clrs.models.BaselineModel(spec, None, factory, **options)
    model.init(None, seed=1)
    return model


@pytest.mark.parametrize("name", list(clrs.CLRS_30_ALGS_SETTINGS))
def test_every_algorithm_trains_and_predicts(name):
    spec, stream = stream_of(name)
    batch = next(stream)
    model = model_of(spec)
    first, *others = [model.feedback(None, batch) for _ in range(16)]
    assert min(others) < first
    predictions, hints = model.predict(None, batch.features, return_hints=True)
    assert {point.name for point in batch.outputs} == predictions.keys()
    for point in batch.outputs:
        assert predictions[point.name].data.shape == point.data.shape
    assert 0 <= clrs.evaluate(batch.outputs, predictions)["score"] <= 1
    steps = [decoders.postprocess(spec, step, 0.1, 50, hard=True) for step in hints]
    scores = clrs.evaluate_hints(batch.features.hints, batch.features.lengths, steps)
    assert all(np.isfinite(scores[hint.name]) for hint in batch.features.hints)


@pytest.mark.parametrize("name", ["bfs", "dijkstra", "segments_intersect", "minimum", "floyd_warshall"])
def test_the_losses_of_predictions_are_those_of_training(name):
    spec, stream = stream_of(name)
    batch = next(stream)
    model = model_of(spec)
    total, _ = model.compute_grad(None, batch)
    _, hints = model.predict(None, batch.features, return_hints=True)
    of_hints = model.verbose_loss(batch, hints)
    assert of_hints.keys() == {f"loss_{hint.name}" for hint in batch.features.hints}
    raw = dict(model._network.predict(0, model._batch(0, batch.features, ()), len(hints), False))
    nodes = batch.features.inputs[0].data.shape[-1]
    of_outputs = [losses.output_loss(point, raw[f"logits/output/{point.name}"], nodes) for point in batch.outputs]
    assert sum(of_hints.values()) + sum(of_outputs) == pytest.approx(total, rel=1e-4)


def test_a_gradient_changes_nothing_and_points_uphill():
    spec, stream = stream_of("bfs")
    batch = next(stream)
    model = model_of(spec)
    before, gradient = model.compute_grad(None, batch)
    assert model.compute_grad(None, batch)[0] == before
    step = {
        module: {name: values - 1e-3 * gradient[module][name] for name, values in parameters.items()}
        for module, parameters in model.params.items()
    }
    model.params = step
    assert model.compute_grad(None, batch)[0] < before


def test_a_model_of_several_algorithms_trains_the_parts_of_one():
    pairs = [stream_of(name) for name in ("insertion_sort", "bfs", "bubble_sort")]
    batches = [next(stream) for _, stream in pairs]
    model = model_of([spec for spec, _ in pairs])
    before = model.params
    model.feedback(None, batches[1], algorithm_index=1)
    changed = {
        module for module, parameters in model.params.items()
        if any((parameters[name] != before[module][name]).any() for name in parameters)
    }
    others = {module for module in before if "algo_0" in module or "algo_2" in module}
    assert others and not changed & others
    assert any("algo_1" in module for module in changed)
    with pytest.raises(ValueError, match="algorithm_index is needed"):
        model.feedback(None, batches[0])
    with pytest.raises(ValueError, match="from 0 to 2, found 3"):
        model.feedback(None, batches[0], algorithm_index=3)


def test_a_saved_model_continues_as_if_it_had_not_stopped(tmp_path):
    spec, stream = stream_of("insertion_sort")
    batch = next(stream)
    model = model_of(spec, checkpoint_path=tmp_path / "models")
    model.feedback(None, batch)
    model.save_model("best.pkl")
    expected = [model.feedback(None, batch) for _ in range(2)]

    other = model_of(spec, checkpoint_path=tmp_path / "models")
    other.init(None, seed=99)
    other.restore_model("best.pkl")
    assert [other.feedback(None, batch) for _ in range(2)] == expected
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["best.pkl"]
    with pytest.raises(FileNotFoundError, match="there is no file"):
        other.restore_model("none.pkl")


def test_only_the_processor_is_restored_if_asked(tmp_path):
    spec, _ = stream_of("bfs")
    model = model_of(spec, checkpoint_path=tmp_path)
    model.save_model("model.pkl")
    other = model_of(spec, checkpoint_path=tmp_path)
    other.init(None, seed=5)
    before = other.params
    other.restore_model("model.pkl", only_load_processor=True)
    for module, parameters in other.params.items():
        source = model.params if "clrs_processor" in module else before
        for name, values in parameters.items():
            np.testing.assert_array_equal(values, source[module][name])


def test_a_frozen_processor_does_not_change():
    spec, stream = stream_of("bfs")
    model = model_of(spec, freeze_processor=True)
    before = model.params
    model.feedback(None, next(stream))
    changed = [
        module for module, parameters in model.params.items()
        if any((values != before[module][name]).any() for name, values in parameters.items())
    ]
    assert changed and not any("clrs_processor" in module for module in changed)


def test_outputs_of_all_steps_end_with_the_output():
    spec, stream = stream_of("floyd_warshall")
    batch = next(stream)
    model = model_of(spec)
    last, _ = model.predict(None, batch.features)
    every, _ = model.predict(None, batch.features, return_all_outputs=True)
    steps = len(batch.features.hints[0].data) - 1
    assert every["Pi"].data.shape == (steps, *last["Pi"].data.shape)
    np.testing.assert_array_equal(every["Pi"].data[-1], last["Pi"].data)


def test_arrays_need_not_be_contiguous_or_of_double_precision():
    spec, stream = stream_of("bfs")
    batch = next(stream)

    def converted(points):
        def odd(x):
            return np.asfortranarray(x.astype(np.float32))[::-1][::-1]

        return [clrs.DataPoint(point.name, point.location, point.type_, odd(point.data)) for point in points]

    weights = next(point for point in batch.features.inputs if point.name == "A")
    assert weights.data.dtype == np.int64
    features = batch.features._replace(inputs=converted(batch.features.inputs), hints=converted(batch.features.hints))
    odd = clrs.Feedback(features, converted(batch.outputs))
    assert model_of(spec).feedback(None, odd) == model_of(spec).feedback(None, batch)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda f: f._replace(inputs=f.inputs[1:]), "has no input pos"),
        (lambda f: f._replace(hints=f.hints[1:]), "has no hint reach_h"),
        (lambda f: f._replace(lengths=f.lengths * 0), "lengths must be at least 1"),
        (lambda f: f._replace(lengths=f.lengths * np.nan), "lengths must be at least 1"),
        (lambda f: f._replace(lengths=f.lengths * 1000), "must have shape"),
        (lambda f: f._replace(lengths=f.lengths[1:]), "must have shape"),
    ],
)
def test_a_batch_that_does_not_fit_is_refused(change, sentence):
    spec, stream = stream_of("bfs")
    batch = next(stream)
    with pytest.raises(ValueError, match=sentence):
        model_of(spec).feedback(None, batch._replace(features=change(batch.features)))


def test_values_that_a_probe_cannot_have_are_refused():
    spec, stream = stream_of("bfs")
    batch = next(stream)
    for point in batch.features.inputs:
        if point.name == "A":
            point.data = point.data * np.nan
    with pytest.raises(ValueError, match=r"finite number|whole number"):
        model_of(spec).feedback(None, batch)


def test_specs_that_cannot_be_trained_say_why():
    sort = clrs.SPECS["insertion_sort"]
    with pytest.raises(ValueError, match="process_permutations"):
        model_of(sort)
    own = {"pos": ("input", "node", "scalar"), "x": ("output", "node", "mask")}
    with pytest.raises(NotImplementedError, match="narscope.algorithm"):
        model_of(own)
    with pytest.raises(ValueError, match="encode_hints needs decode_hints"):
        model_of(clrs.SPECS["bfs"], decode_hints=False)
    with pytest.raises(ValueError, match="mpnn"):
        model_of(clrs.SPECS["bfs"], processor="mppn")
    with pytest.raises(ValueError, match="get_processor_factory"):
        clrs.models.BaselineModel(clrs.SPECS["bfs"], None, None)


def test_a_model_needs_init():
    factory = clrs.get_processor_factory("mpnn", use_ln=True, nb_triplet_fts=0)
    model = clrs.models.BaselineModel(clrs.SPECS["bfs"], None, factory)
    with pytest.raises(ValueError, match="call init"):
        _ = model.params
