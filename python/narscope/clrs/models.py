"""Networks that are trained on batches, with the methods of ``clrs.models.BaselineModel``."""

import abc
import itertools
import json
import os
import pickle
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from narscope._errors import InputError, MissingFileError
from narscope._narscope import clrs as _native
from narscope.clrs import decoders, losses
from narscope.clrs._unsupported import networks
from narscope.clrs.own_samplers import Features, Feedback
from narscope.clrs.probing import DataPoint
from narscope.clrs.processors import PROCESSOR_TAG, ProcessorFactory
from narscope.clrs.samplers import process_permutations, process_pred_as_input
from narscope.clrs.specs import CONSTANT_HINTS, SPECS, Spec, Stage, Type

__getattr__ = networks(__name__, "GAT", "MPNN", "Net", "NetChunked")

Parameters = dict[str, dict[str, np.ndarray]]

# As in the reference, for postprocessing.
_SINKHORN_TEMPERATURE, _SINKHORN_STEPS = 0.1, 50


class Model(abc.ABC):
    """Something that predicts the outputs of an algorithm and learns from them."""

    def __init__(self, spec: Spec | Sequence[Spec]) -> None:
        self._spec = [spec] if isinstance(spec, Mapping) else list(spec)

    @abc.abstractmethod
    def predict(self, *args: Any, **kwargs: Any) -> Any:
        """Predicts outputs."""

    @abc.abstractmethod
    def feedback(self, *args: Any, **kwargs: Any) -> Any:
        """Learns from a batch."""


class BaselineModel(Model):
    """A network of narscope that is trained on batches of the caller.

    The arguments are those of dm-clrs. ``spec`` may be that of any algorithm, also after ``process_pred_as_input`` and
    ``process_permutations``; with a list of specs, the algorithms share one network. Weights, dropout and noise follow from the
    ``seed`` of :meth:`init` and the number of updates: ``rng_key`` is not used.

    >>> import narscope.clrs as clrs
    >>> sampler, spec = clrs.build_sampler("bfs", num_samples=-1, length=8, seed=1)
    >>> batch = sampler.next(4)
    >>> factory = clrs.get_processor_factory("mpnn", use_ln=True, nb_triplet_fts=0)
    >>> model = clrs.models.BaselineModel(spec, batch, factory, hidden_dim=16, encode_hints=True)
    >>> model.init(batch.features, seed=1)
    >>> first = model.feedback(None, batch)
    >>> for _ in range(10):
    ...     last = model.feedback(None, batch)
    >>> last < first
    True
    >>> predictions, _ = model.predict(None, batch.features)
    >>> predictions["pi"].data.shape
    (4, 8)
    """

    def __init__(
        self,
        spec: Spec | Sequence[Spec],
        dummy_trajectory: Feedback | Sequence[Feedback],
        processor_factory: ProcessorFactory,
        hidden_dim: int = 32,
        encode_hints: bool = False,
        decode_hints: bool = True,
        encoder_init: str = "default",
        use_lstm: bool = False,
        learning_rate: float = 0.005,
        grad_clip_max_norm: float = 0.0,
        checkpoint_path: str | os.PathLike[str] | None = None,
        freeze_processor: bool = False,
        dropout_prob: float = 0.0,
        hint_teacher_forcing: float = 0.0,
        hint_repred_mode: str = "soft",
        name: str = "base_model",
        nb_msg_passing_steps: int = 1,
        debug: bool = False,
    ) -> None:
        super().__init__(spec)
        if not isinstance(processor_factory, ProcessorFactory):
            raise InputError(f"processor_factory must be made by get_processor_factory, found {processor_factory!r}")
        if encode_hints and not decode_hints:
            raise InputError("encode_hints needs decode_hints: what is fed back is what was predicted")
        algorithms, conversions = _recognise(self._spec)
        self.name = name
        self.checkpoint_path = Path(checkpoint_path or Path(tempfile.gettempdir()) / "clrs3")
        self._config = {
            "algorithms": algorithms,
            **conversions,
            **processor_factory.configuration(),
            "hidden_size": hidden_dim,
            "hint_mode": "encoded_decoded" if encode_hints else "decoded_only" if decode_hints else "none",
            "encoder_init": encoder_init,
            "use_lstm": use_lstm,
            "learning_rate": learning_rate,
            "grad_clip_max_norm": grad_clip_max_norm,
            "freeze": ["processor"] if freeze_processor else [],
            "dropout_prob": dropout_prob,
            "hint_teacher_forcing": hint_teacher_forcing,
            "hint_repred_mode": hint_repred_mode,
            "nb_msg_passing_steps": nb_msg_passing_steps,
        }
        self._network: Any = None
        # A network with another seed has the same configuration: mistakes are found here, not in `init`.
        self.init(None, 0)
        self._is_initialised = False

    def init(self, features: Features | Sequence[Features] | None, seed: int) -> None:
        """Draws the initial weights. ``features`` are not needed: the specs say everything about the network."""
        self._seed = int(seed)
        config = {**self._config, "seed": self._seed}
        self._network = _native.Network(json.dumps(config, default=_number))
        self._is_initialised = True

    def feedback(self, rng_key: Any, feedback: Feedback, algorithm_index: int | None = None) -> float:
        """Updates the weights on a batch. Returns the loss before the update."""
        task = self._task(algorithm_index)
        total, _ = self._initialised().learn(task, self._batch(task, feedback.features, feedback.outputs))
        return total

    def compute_grad(
        self, rng_key: Any, feedback: Feedback, algorithm_index: int | None = None
    ) -> tuple[float, Parameters]:
        """The loss of a batch and its gradient, without an update."""
        task = self._task(algorithm_index)
        batch = self._batch(task, feedback.features, feedback.outputs)
        (total, _), gradient = self._initialised().gradient(task, batch)
        return total, _nested(gradient)

    def predict(
        self,
        rng_key: Any,
        features: Features,
        algorithm_index: int | None = None,
        return_hints: bool = False,
        return_all_outputs: bool = False,
    ) -> tuple[dict[str, DataPoint], list[dict[str, np.ndarray]] | None]:
        """Predicts outputs, and raw hints for every step if they are asked for.

        With ``return_all_outputs``, outputs are those of every step, the step first. After a sample's last step,
        raw predictions are 0.
        """
        task = self._task(algorithm_index)
        steps = max(1, len(features.hints[0].data) - 1)
        raw = dict(
            self._initialised().predict(task, self._batch(task, features, ()), steps, return_all_outputs)
        )

        def of_kind(kind: str) -> Iterator[tuple[str, np.ndarray]]:
            prefix = f"logits/{kind}/"
            return ((name.removeprefix(prefix), it) for name, it in raw.items() if name.startswith(prefix))

        outputs = dict(of_kind("output"))
        if return_all_outputs:
            outputs = {name: over_time.swapaxes(0, 1) for name, over_time in of_kind("output_steps")}
        points = decoders.postprocess(
            self._spec[task],
            outputs,
            sinkhorn_temperature=_SINKHORN_TEMPERATURE,
            sinkhorn_steps=_SINKHORN_STEPS,
            hard=True,
        )
        if not return_hints:
            return points, None
        hints = dict(of_kind("hint"))
        return points, [{name: it[:, step] for name, it in hints.items()} for step in range(steps)]

    def verbose_loss(self, feedback: Feedback, extra_info: Any) -> dict[str, Any]:
        """The loss of each hint as ``loss_...``. ``extra_info`` are the hints that :meth:`predict` returns."""
        hints = feedback.features.hints
        nodes = _nodes(feedback.features)
        return {
            f"loss_{hint.name}": losses.hint_loss(
                hint, [step[hint.name] for step in extra_info], feedback.features.lengths, nodes
            )
            for hint in hints
            if all(hint.name in step for step in extra_info)
        }

    def update_model_params_accum(self, grads: Any) -> None:
        """Not supported: updates with gradients of the caller."""
        raise NotImplementedError("gradients of several algorithms cannot be accumulated: call feedback for each")

    @property
    def params(self) -> Parameters:
        """The weights, under the names of dm-clrs."""
        return _nested(self._initialised().parameters())

    @params.setter
    def params(self, params: Mapping[str, Mapping[str, Any]]) -> None:
        network = self._network
        network.set_parameters(
            [
                (f"{module}/{name}", np.ascontiguousarray(values, dtype=np.float32))
                for module, parameters in params.items()
                for name, values in parameters.items()
            ]
        )
        self._is_initialised = True

    @property
    def opt_state(self) -> dict[str, Any]:
        """The state of Adam: means of gradients, means of their squares, and the number of updates."""
        first, second, updates = self._initialised().optimiser()
        return {"first": first, "second": second, "updates": updates}

    @opt_state.setter
    def opt_state(self, state: Mapping[str, Any]) -> None:
        self._initialised().set_optimiser(state["first"], state["second"], state["updates"])

    def save_model(self, file_name: str) -> None:
        """Writes weights and optimiser to a file in ``checkpoint_path``, as a pickle."""
        self.checkpoint_path.mkdir(parents=True, exist_ok=True)
        target = self.checkpoint_path / file_name
        unfinished = target.with_name(f".{target.name}.{os.getpid()}")
        with unfinished.open("wb") as file:
            saved = {"params": self.params, "opt_state": self.opt_state, "seed": self._seed}
            pickle.dump(saved, file)
        unfinished.replace(target)

    def restore_model(self, file_name: str, only_load_processor: bool = False) -> None:
        """Reads a file of :meth:`save_model`, or the weights of one of dm-clrs. Open only files that you trust."""
        path = self.checkpoint_path / file_name
        if not path.is_file():
            raise MissingFileError(f"there is no file {path}")
        with path.open("rb") as file:
            saved = pickle.load(file)
        if only_load_processor:
            of_processor = {module: saved["params"][module] for module in saved["params"] if PROCESSOR_TAG in module}
            self.params = {**self.params, **of_processor}
            return
        # Dropout and noise continue, too.
        self.init(None, saved.get("seed", self._seed))
        self.params = saved["params"]
        state = saved.get("opt_state")
        # The optimiser of dm-clrs is a tree of Optax, which we do not read: its moments start anew.
        if isinstance(state, Mapping):
            self.opt_state = state

    def _initialised(self) -> Any:
        if not self._is_initialised:
            raise InputError("the model has no weights yet: call init(features, seed)")
        return self._network

    def _task(self, algorithm_index: int | None) -> int:
        if algorithm_index is None:
            if len(self._spec) > 1:
                raise InputError(f"algorithm_index is needed: the model has {len(self._spec)} algorithms")
            return 0
        if not 0 <= algorithm_index < len(self._spec):
            raise InputError(f"algorithm_index must be from 0 to {len(self._spec) - 1}, found {algorithm_index}")
        return algorithm_index

    def _batch(self, task: int, features: Features, outputs: Sequence[DataPoint]) -> tuple[list[Any], np.ndarray]:
        """The arrays of a batch in the order of the network's probes; unknown outputs are ``None``."""
        stages = {
            Stage.INPUT: features.inputs,
            Stage.OUTPUT: outputs,
            Stage.HINT: features.hints,
        }
        data = {(stage, point.name): point.data for stage, points in stages.items() for point in points}
        arrays = []
        for name, stage, _, _ in self._network.probes(task):
            values = data.get((stage, name))
            if values is None and (stage != Stage.OUTPUT or outputs):
                raise InputError(f"the batch has no {stage} {name}, which the spec of the model has")
            arrays.append(None if values is None else np.ascontiguousarray(values, dtype=np.float64))
        return arrays, np.ascontiguousarray(features.lengths, dtype=np.float64)


class BaselineModelChunked:
    """Not supported: training on chunks of the caller."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(
            "BaselineModelChunked is not supported: use narscope.train(..., chunked_training=True), "
            "which carries the state from chunk to chunk, or BaselineModel on whole samples"
        )


def _recognise(specs: Sequence[Spec]) -> tuple[list[str], dict[str, bool]]:
    """The algorithms with these specs, and how the specs were converted."""
    for pred_as_input, permutations in itertools.product((False, True), (True, False)):
        converted = {name: _converted(name, pred_as_input, permutations) for name in SPECS}
        names: list[str] = []
        for spec in specs:
            fitting = (name for name, known in converted.items() if known == spec and name not in names)
            names.extend(itertools.islice(fitting, 1))
        if len(names) == len(specs):
            conversions = {
                "enforce_pred_as_input": pred_as_input,
                "enforce_permutations": permutations,
            }
            return names, conversions
    if any(type_ == Type.SHOULD_BE_PERMUTATION for spec in specs for _, _, type_ in spec.values()):
        raise InputError("convert the outputs of sorting before training: clrs.process_permutations")
    raise NotImplementedError(
        "a spec is not that of one of the 32 algorithms: write your own algorithm with narscope.algorithm "
        "and train it with narscope.train"
    )


def _converted(name: str, pred_as_input: bool, permutations: bool) -> Spec:
    spec = SPECS[name]
    if pred_as_input and name in CONSTANT_HINTS:
        spec, _ = process_pred_as_input(spec, iter(()))
    return process_permutations(spec, iter(()), permutations)[0]


def _nested(parameters: Sequence[tuple[str, np.ndarray]]) -> Parameters:
    """Parameters by module and name."""
    nested: Parameters = {}
    for path, values in parameters:
        module, name = path.rsplit("/", 1)
        nested.setdefault(module, {})[name] = values
    return nested


def _nodes(features: Features) -> int:
    return next(point.data.shape[-1] for point in features.inputs if point.name == "pos")


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise InputError(f"expected a number, found {value!r}")
