"""The losses of predictions, as numbers: training computes them, with gradients, in Rust."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from narscope._errors import InputError
from narscope.clrs.decoders import _log_softmax
from narscope.clrs.probing import DataPoint
from narscope.clrs.specs import OutputClass, Type

_NOTHING = 1e-12


def output_loss(truth: DataPoint, pred: Any, nb_nodes: int) -> Any:
    """The mean loss of an output; masked values do not count."""
    loss, counted = _losses(truth.type_, np.asarray(truth.data), np.asarray(pred), nb_nodes)
    return np.sum(loss * counted) / np.sum(counted)


def output_loss_chunked(truth: DataPoint, pred: Any, is_last: Any, nb_nodes: int) -> Any:
    """The mean loss of an output of chunks, at the last steps of samples."""
    loss, counted = _losses(truth.type_, np.asarray(truth.data), np.asarray(pred), nb_nodes)
    return _mean(loss, counted * _expanded(is_last, loss))


def hint_loss(truth: DataPoint, preds: Sequence[Any], lengths: Any, nb_nodes: int) -> Any:
    """The mean loss of a hint over all steps that samples have. ``preds`` are the predictions step by step."""
    data = np.asarray(truth.data)[1:]
    loss, counted = _losses(truth.type_, data, np.stack([np.asarray(pred) for pred in preds]), nb_nodes)
    running = np.asarray(lengths) > np.arange(1, len(data) + 1)[:, None]
    return _mean(loss, counted * _expanded(running, loss))


def hint_loss_chunked(truth: DataPoint, pred: Any, is_first: Any, nb_nodes: int) -> Any:
    """The mean loss of a hint of chunks, except for the first steps of samples."""
    loss, counted = _losses(truth.type_, np.asarray(truth.data), np.asarray(pred), nb_nodes)
    return _mean(loss, counted * (1 - _expanded(is_first, loss)))


def _mean(loss: np.ndarray, counted: np.ndarray) -> Any:
    return np.sum(loss * counted) / max(np.sum(counted), _NOTHING)


def _expanded(mask: Any, loss: np.ndarray) -> np.ndarray:
    """A mask of steps and samples in as many axes as the loss has."""
    mask = np.asarray(mask, dtype=float)
    return mask.reshape(mask.shape + (1,) * (loss.ndim - mask.ndim))


def _losses(type_: str, truth: np.ndarray, pred: np.ndarray, nb_nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """The loss of every value, and 1 for each that counts."""
    if type_ == Type.SCALAR:
        loss = (pred - truth) ** 2
        return loss, np.ones_like(loss)
    if type_ == Type.MASK:
        loss = np.maximum(pred, 0) - pred * truth + np.log1p(np.exp(-np.abs(pred)))
        return loss, (truth != OutputClass.MASKED).astype(float)
    if type_ in (Type.MASK_ONE, Type.CATEGORICAL):
        chosen = truth == OutputClass.POSITIVE
        return -np.sum(chosen * _log_softmax(pred, -1), axis=-1), chosen.any(axis=-1).astype(float)
    if type_ == Type.POINTER:
        loss = -np.sum(np.eye(nb_nodes)[truth.astype(int)] * _log_softmax(pred, -1), axis=-1)
        return loss, np.ones_like(loss)
    if type_ == Type.PERMUTATION_POINTER:
        # The prediction is a logarithm of probabilities already.
        loss = -np.sum(truth * pred, axis=-1)
        return loss, np.ones_like(loss)
    raise InputError(f"type {type_} has no loss; use process_permutations before training")
