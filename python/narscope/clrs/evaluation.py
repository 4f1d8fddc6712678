"""Scores of predictions, equal to those of dm-clrs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from narscope._errors import InputError
from narscope.clrs.probing import DataPoint
from narscope.clrs.specs import OutputClass, Type


def evaluate(outputs: Iterable[DataPoint], predictions: Mapping[str, DataPoint]) -> dict[str, Any]:
    """The score of each output, and their mean as ``score``.

    Masks are scored by F1, classes and pointers by accuracy, scalars by the mean squared error.

    >>> from narscope.clrs import build_sampler
    >>> batch = build_sampler("bfs", num_samples=4, length=8, seed=1)[0].next()
    >>> evaluate(batch.outputs, {point.name: point for point in batch.outputs})["score"]
    1.0
    """
    truths = fuse_permutations(outputs)
    predicted = {point.name: point for point in fuse_permutations(predictions.values())}
    scores = {truth.name: _score(truth, _prediction_of(truth, predicted)) for truth in truths}
    return {**scores, "score": sum(float(score) for score in scores.values()) / len(scores)}


def evaluate_hints(
    hints: Iterable[DataPoint], lengths: Any, hint_preds: Sequence[Mapping[str, DataPoint]]
) -> dict[str, Any]:
    """The score of each hint, and its scores step by step as ``..._along_time``.

    ``hint_preds`` has the predictions of the hints after the first one, in the form that
    :func:`narscope.clrs.decoders.postprocess` gives them.
    """
    lengths = np.asarray(lengths)
    predictions = [
        {point.name: point for point in fuse_permutations(step.values())} for step in hint_preds
    ]
    scores: dict[str, Any] = {}
    for truth in fuse_permutations(hints):
        along_time = []
        for step, predicted in enumerate(predictions, start=1):
            running = lengths > step
            at_step = DataPoint(truth.name, truth.location, truth.type_, np.asarray(truth.data)[step][running])
            prediction = _prediction_of(truth, predicted)
            rows = np.asarray(prediction.data)[running]
            prediction = DataPoint(prediction.name, prediction.location, prediction.type_, rows)
            along_time.append(_score(at_step, prediction) if running.any() else 0.0)
        counts = [np.sum(lengths > step) for step in range(1, len(predictions) + 1)]
        weighted = [score * count for score, count in zip(along_time, counts, strict=True)]
        scores[truth.name] = np.sum(weighted) / np.sum(lengths - 1)
        scores[f"{truth.name}_along_time"] = np.array(along_time)
    return scores


def fuse_perm_and_mask(perm: DataPoint, mask: DataPoint) -> DataPoint:
    """Merges a cyclic permutation and the mask of its head into pointers to predecessors."""
    pointers = np.asarray(perm.data).argmax(axis=-1)
    itself = np.broadcast_to(np.arange(pointers.shape[-1]), pointers.shape)
    data = np.where(np.asarray(mask.data) > 0.5, itself, pointers)
    return DataPoint(perm.name, perm.location, Type.POINTER, data)


def fuse_permutations(points: Iterable[DataPoint]) -> list[DataPoint]:
    """Merges each permutation with its mask; other points stay as they are."""
    points = list(points)
    by_name = {point.name: point for point in points}
    masks = {f"{point.name}_mask" for point in points if point.type_ == Type.PERMUTATION_POINTER}
    if missing := masks - by_name.keys():
        raise InputError(f"a permutation needs its mask: there is no {', '.join(sorted(missing))}")
    return [
        fuse_perm_and_mask(point, by_name[f"{point.name}_mask"])
        if point.type_ == Type.PERMUTATION_POINTER
        else point
        for point in points
        if point.name not in masks
    ]


def _prediction_of(truth: DataPoint, predicted: Mapping[str, DataPoint]) -> DataPoint:
    if truth.name not in predicted:
        raise InputError(f"there is no prediction of {truth.name}, only of {', '.join(predicted)}")
    prediction = predicted[truth.name]
    if (prediction.location, prediction.type_) != (truth.location, truth.type_):
        raise InputError(
            f"{truth.name} is a {truth.type_} of the {truth.location}, "
            f"its prediction a {prediction.type_} of the {prediction.location}"
        )
    return prediction


def _score(truth: DataPoint, prediction: DataPoint) -> Any:
    if truth.type_ not in _SCORES:
        raise InputError(f"{truth.name} of type {truth.type_} has no score; use process_permutations before training")
    return _SCORES[truth.type_](np.asarray(prediction.data), np.asarray(truth.data))


def _f1(prediction: np.ndarray, truth: np.ndarray) -> Any:
    counted = truth != OutputClass.MASKED
    positive, actual = (prediction > 0.5) & counted, (truth > 0.5) & counted
    hits, found, wanted = np.sum(positive & actual), np.sum(positive), np.sum(actual)
    precision = hits / found if found else np.float32(1.0)
    recall = hits / wanted if wanted else np.float32(1.0)
    total = precision + recall
    return 2.0 * precision * recall / total if total > 0 else np.float32(0.0)


def _argmax_accuracy(prediction: np.ndarray, truth: np.ndarray) -> Any:
    counted = (truth != OutputClass.MASKED).all(axis=-1)
    equal = (prediction.argmax(axis=-1) == truth.argmax(axis=-1)) & counted
    return np.sum(equal) / np.sum(counted)


def _accuracy(prediction: np.ndarray, truth: np.ndarray) -> Any:
    return np.mean((prediction == truth) * 1.0)


def _squared_error(prediction: np.ndarray, truth: np.ndarray) -> Any:
    return np.mean((prediction - truth) ** 2)


_SCORES = {
    Type.MASK: _f1,
    Type.MASK_ONE: _argmax_accuracy,
    Type.CATEGORICAL: _argmax_accuracy,
    Type.POINTER: _accuracy,
    Type.SCALAR: _squared_error,
}
