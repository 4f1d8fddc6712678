"""Runs dm-clrs on a network case: predictions, hidden states, losses, gradients, one update."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from unittest import mock

# Set before JAX starts. Compiling takes longer than running, so optimisations are off.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

from reference import arrays, build, clrs, np  # isort: skip: it sets more such variables

import jax
import optax
from clrs._src import baselines, decoders, losses

from cases import Case
from network_cases import NetworkCase, Settings
from network_weights import weights

Arrays = dict[str, np.ndarray]

# Algorithms whose hint `pred_h` never changes. The run script converts it to an input.
STATIC_PRED = {
    "activity_selector",
    "binary_search",
    "find_maximum_subarray_kadane",
    "jarvis_march",
    "kmp_matcher",
    "lcs_length",
    "matrix_chain_order",
    "minimum",
    "naive_string_matcher",
    "optimal_bst",
    "task_scheduling",
}


@dataclass
class ReferenceResult:
    """Results of the reference on a case: arrays by their keys in files."""

    params: Arrays
    batch: Arrays
    lengths: np.ndarray
    # Expected output of `narscope predict --hidden --all-steps --loss`.
    expected: Arrays
    # Before clipping. Empty if the case does not train.
    gradients: Arrays
    updated: Arrays
    # Whether the reference itself computed `updated`; see `one_update`.
    updated_by_reference: bool


def run_reference(case: NetworkCase) -> ReferenceResult:
    """Runs the reference on a case."""
    drawn = [draw(case, algorithm) for algorithm in case.algorithms]
    plain, feedback, _ = drawn[case.index]
    # Readers of the file cannot reproduce random positions. With these, it holds the network's input
    # after all conversions; otherwise it has the contents that `narscope sample` writes.
    batch = arrays(plain if case.random_pos_seed is None else feedback)
    lengths = np.asarray(feedback.features.lengths)

    model = build_model(case.network, [f for _, f, _ in drawn], [spec for _, _, spec in drawn])
    params = formula_params(model, [f.features for _, f, _ in drawn])
    with mock.patch.object(decoders, "log_sinkhorn", without_noise(decoders.log_sinkhorn)):
        expected = predict(model, params, feedback, case.index)
        gradients, updated, by_reference = {}, {}, False
        if case.train:
            loss, gradients = train(model, params, feedback, case.index)
            updated, by_reference = one_update(model, params, gradients, case.index)
            expected |= loss
    return ReferenceResult(
        params=flat(params),
        batch=batch | {"lengths": lengths},
        lengths=lengths.astype(int),
        expected=expected,
        gradients=flat(gradients),
        updated=flat(updated),
        updated_by_reference=by_reference,
    )


def draw(case: NetworkCase, algorithm: str) -> tuple[clrs.Feedback, clrs.Feedback, clrs.Spec]:
    """Returns a sampled batch, the batch after the run script's conversions, and its spec."""
    sampler, spec = build(Case(algorithm, case.length, case.batch, case.seed))
    plain = sampler.next()
    stream: Iterator[clrs.Feedback] = iter([plain])
    if case.random_pos_seed is not None:
        stream = clrs.process_random_pos(stream, np.random.RandomState(case.random_pos_seed))
    if case.network["enforce_pred_as_input"] and algorithm in STATIC_PRED:
        spec, stream = clrs.process_pred_as_input(spec, stream)
    spec, stream = clrs.process_permutations(spec, stream, case.network["enforce_permutations"])
    return plain, next(stream), spec


def build_model(
    network: Settings,
    feedbacks: list[clrs.Feedback],
    specs: list[clrs.Spec],
    debug: bool = True,
) -> baselines.BaselineModel:
    """Builds the model of the run script. With `debug`, it returns its hidden states."""
    processor = clrs.get_processor_factory(
        network["processor_type"],
        use_ln=network["use_ln"],
        nb_triplet_fts=network["nb_triplet_fts"],
        nb_heads=network["nb_heads"],
    )
    return baselines.BaselineModel(
        spec=specs,
        dummy_trajectory=feedbacks,
        processor_factory=processor,
        hidden_dim=network["hidden_size"],
        encode_hints=network["hint_mode"] == "encoded_decoded",
        decode_hints=network["hint_mode"] != "none",
        encoder_init=network["encoder_init"],
        use_lstm=network["use_lstm"],
        learning_rate=network["learning_rate"],
        grad_clip_max_norm=network["grad_clip_max_norm"],
        dropout_prob=0.0,
        hint_teacher_forcing=network["hint_teacher_forcing"],
        hint_repred_mode=network["hint_repred_mode"],
        nb_msg_passing_steps=network["nb_msg_passing_steps"],
        debug=debug,
    )


def formula_params(model: baselines.BaselineModel, features: list) -> dict[str, Arrays]:
    """Returns parameters with the shapes of the model and the values of the formula."""
    shapes = jax.eval_shape(
        lambda key: model.net_fn.init(
            key,
            features,
            repred=True,
            algorithm_index=-1,
            return_hints=False,
            return_all_outputs=False,
        ),
        jax.random.PRNGKey(0),
    )
    return {
        module: {name: weights(module, name, leaf.shape) for name, leaf in leaves.items()}
        for module, leaves in shapes.items()
    }


def without_noise(log_sinkhorn):
    """Wraps Sinkhorn so that it adds no Gumbel noise, which narscope could not reproduce."""

    def noiseless(*args, noise_rng_key=None, **kwargs):
        return log_sinkhorn(*args, noise_rng_key=None, **kwargs)

    return noiseless


def predict(model: baselines.BaselineModel, params, feedback: clrs.Feedback, index: int) -> Arrays:
    """Returns raw predictions of every step, as in evaluation, before postprocessing."""

    def run(params, features):
        return model.net_fn.apply(
            params,
            jax.random.PRNGKey(0),
            [features],
            repred=True,
            algorithm_index=index,
            return_hints=True,
            return_all_outputs=True,
        )

    outputs, hints, hidden = jax.jit(run)(params, feedback.features)
    found = {"hidden": hidden}
    for name, steps in outputs.items():
        found[f"output_steps/{name}"] = steps
        # A sample's prediction does not change after its own last step.
        found[f"output/{name}"] = steps[-1]
    for name in hints[0] if hints else ():
        found[f"hint/{name}"] = np.stack([step[name] for step in hints])
    return {key: np.asarray(value) for key, value in found.items()}


def train(model: baselines.BaselineModel, params, feedback: clrs.Feedback, index: int):
    """Returns each loss, their total, and the gradients of the total."""

    def total_and_parts(params, feedback):
        outputs, hints, hidden = model.net_fn.apply(
            params,
            jax.random.PRNGKey(0),
            [feedback.features],
            repred=False,
            algorithm_index=index,
            return_hints=True,
            return_all_outputs=False,
        )
        nodes = hidden.shape[2]
        parts = {
            f"loss/output/{truth.name}": losses.output_loss(truth, outputs[truth.name], nodes)
            for truth in feedback.outputs
        }
        if model.decode_hints:
            lengths = feedback.features.lengths
            for truth in feedback.features.hints:
                steps = [step[truth.name] for step in hints]
                parts[f"loss/hint/{truth.name}"] = losses.hint_loss(truth, steps, lengths, nodes)
        return sum(parts.values()), parts

    differentiate = jax.jit(jax.value_and_grad(total_and_parts, has_aux=True))
    (total, parts), gradients = differentiate(params, feedback)
    losses_found = {key: np.asarray(value) for key, value in parts.items()}
    return losses_found | {"loss": np.asarray(total)}, jax.device_get(gradients)


def one_update(model: baselines.BaselineModel, params, gradients, index: int):
    """Returns the parameters after one optimiser step, and whether the reference itself took it.

    Release 2.0.3 excludes parameters that belong neither to the processor nor to the algorithm of the
    batch (those of other algorithms, and the LSTM), but fails with current JAX if there are any. Then
    we apply its rule ourselves: the optimiser gets the remaining parameters only, so the excluded ones
    neither change nor contribute to the norm for clipping.
    """
    kept = {
        module: leaves
        for module, leaves in gradients.items()
        if "clrs_processor" in module or f"algo_{index}_" in module
    }
    by_reference = len(kept) == len(gradients)
    with jax.disable_jit():  # faster than compiling code that runs once
        if by_reference:
            state, skeleton = model.opt.init(params), model.opt.init(jax.numpy.zeros(1))
            updates, _ = baselines.filter_null_grads(gradients, model.opt, state, skeleton, index)
        else:
            updates, _ = model.opt.update(kept, model.opt.init(kept))
        changed = optax.apply_updates({module: params[module] for module in updates}, updates)
    return params | jax.device_get(changed), by_reference


def flat(params: dict[str, Arrays]) -> Arrays:
    """Returns the parameters by `module/name`, sorted by the bytes of these names."""
    found = {
        f"{module}/{name}": np.asarray(leaf)
        for module, leaves in params.items()
        for name, leaf in leaves.items()
    }
    return dict(sorted(found.items()))
