"""From raw predictions to values."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from narscope.clrs._unsupported import networks
from narscope.clrs.probing import DataPoint
from narscope.clrs.specs import Spec, Type

__getattr__ = networks(
    __name__, "construct_decoders", "construct_diff_decoders", "decode_fts", "maybe_decode_diffs"
)


def log_sinkhorn(
    x: Any, steps: int, temperature: float, zero_diagonal: bool, noise_rng_key: Any = None
) -> np.ndarray:
    """Makes the rows and columns of ``exp(x)`` sum to one, by turns, ``steps`` times.

    >>> y = np.exp(log_sinkhorn(np.eye(3), steps=20, temperature=1.0, zero_diagonal=True))
    >>> y.sum(axis=0).round(6).tolist(), y.diagonal().tolist()
    ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])
    """
    if noise_rng_key is not None:
        raise NotImplementedError("noise is added while BaselineModel trains: pass noise_rng_key=None")
    scores = np.asarray(x) / np.asarray(temperature, dtype=np.asarray(x).dtype)
    if zero_diagonal:
        scores = scores - np.eye(scores.shape[-1], dtype=scores.dtype) * 1e6
    for _ in range(steps):
        for axis in (-1, -2):
            scores = _log_softmax(scores, axis)
    return scores


def postprocess(
    spec: Spec,
    preds: Mapping[str, Any],
    sinkhorn_temperature: float,
    sinkhorn_steps: int,
    hard: bool,
) -> dict[str, DataPoint]:
    """Raw predictions as data points: hard values, or the probabilities that are fed back as hints.

    Hard values of hints are what :func:`narscope.clrs.evaluate_hints` takes.
    """
    points = {}
    for name, raw in preds.items():
        _, location, type_ = spec[name]
        data = np.asarray(raw)
        choices = data.shape[-1] if data.ndim else 1
        if type_ == Type.MASK:
            data = (data > 0).astype(data.dtype) if hard else _sigmoid(data)
        elif type_ in (Type.MASK_ONE, Type.CATEGORICAL):
            data = _one_hot(data.argmax(-1), choices, data.dtype) if hard else np.exp(_log_softmax(data, -1))
        elif type_ == Type.POINTER:
            if hard:
                data = data.argmax(-1).astype(data.dtype)
            else:
                data, type_ = np.exp(_log_softmax(data, -1)), Type.SOFT_POINTER
        elif type_ == Type.PERMUTATION_POINTER:
            data = np.exp(log_sinkhorn(data, sinkhorn_steps, sinkhorn_temperature, zero_diagonal=True))
            data = _one_hot(data.argmax(-1), choices, data.dtype) if hard else data
        elif type_ != Type.SCALAR:
            raise ValueError(f"{name} of type {type_} cannot be predicted; use process_permutations before training")
        points[name] = DataPoint(name, location, type_, data)
    return points


def _log_softmax(x: np.ndarray, axis: int) -> np.ndarray:
    shifted = x - x.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    # Without overflow on either side.
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small)).astype(x.dtype)


def _one_hot(index: np.ndarray, size: int, dtype: Any) -> np.ndarray:
    return np.eye(size, dtype=dtype)[index]
