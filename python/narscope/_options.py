"""Keyword arguments that several functions take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict


class SamplerOptions(TypedDict, total=False):
    """Options of samplers; each algorithm takes some of them, see :attr:`narscope.Spec.options`."""

    #: Edge probabilities; one is drawn per sample.
    p: float | Sequence[float] | None
    #: Lower bound of keys, weights or coordinates.
    low: float | None
    #: Upper bound of keys, weights or coordinates.
    high: float | None
    #: Truncate real values to this many decimals.
    truncate_decimals: int | None
    #: Size of the alphabet of strings, 1 to 4.
    chars: int | None
    #: Length of the second string, or number of nodes on the right side of a bipartite graph.
    length_2: int | None
    #: Length of the needle; negative: random, from 1 to the absolute value.
    length_needle: int | None
    #: Latest deadline of a task.
    max_deadline: int | None
    #: community: number of communities.
    k: int | None
    #: community: probability of an edge between communities.
    eps: float | None
    #: Centre of the disc that points are drawn from: x.
    origin_x: float | None
    #: Centre of the disc that points are drawn from: y.
    origin_y: float | None
    #: Radius of the disc that points are drawn from.
    radius: float | None
    #: How often points are redrawn if three are collinear.
    collinearity_attempts: int | None
    #: Three points are collinear if twice the area of their triangle is below this.
    collinearity_eps: float | None
    #: Whether edges have a direction; None: as the algorithm's sampler has it.
    directed: bool | None
    #: ``undirected``, ``directed`` or ``acyclic``; instead of ``directed``.
    direction: str | None
    #: Graph family and symmetries, joined by +; ``narscope list families`` and ``narscope list symmetries`` have them.
    family: str | None
    #: watts_strogatz: nearest neighbours of each node.
    neighbours: int | None
    #: watts_strogatz: probability that an edge is rewired.
    rewire: float | None
    #: barabasi_albert: edges of each new node.
    attach: int | None
    #: Symmetries: number of base graphs, whose transformed copies are the samples.
    classes: int | None
    #: reweight: potentials are drawn from (0, c), base weights from (c, 1 - c).
    c: float | None
    #: rescale: factor of all weights; None: random, from (1/2, 1).
    factor: float | None


class Configuration(TypedDict, total=False):
    """Keys of the configuration of a run; ``narscope train --help`` has their defaults."""

    #: Sizes of training samples, used in rotation; -1: the benchmark's training set.
    train_lengths: int | Sequence[int]
    #: String matching: length of the needle; negative: random, up to the absolute value; 0: a fifth of the length.
    length_needle: int
    #: Random seed: weights, data, dropout.
    seed: int
    #: Random seed of data and dropout, if it should differ from ``seed``.
    data_seed: int | None
    #: Randomise the position input ``pos`` in training and validation.
    random_pos: bool
    #: Constrain pointer outputs that represent permutations to be permutations.
    enforce_permutations: bool
    #: Turn hints that never change into inputs.
    enforce_pred_as_input: bool
    #: Train on directed graphs even if the algorithm's sampler makes undirected ones.
    directed_training: bool
    #: Samples per batch.
    batch_size: int
    #: Train on chunks of a fixed number of steps.
    chunked_training: bool
    #: Steps per chunk.
    chunk_length: int
    #: Training steps: one update per algorithm each.
    train_steps: int
    #: The same as ``train_steps``.
    steps: int
    #: Training steps between validations.
    eval_every: int
    #: Stop after this many validations without improvement; 0: never.
    early_stop: int
    #: Size of the hidden state of a node.
    hidden_size: int
    #: Number of attention heads.
    nb_heads: int
    #: Rounds of message passing per step.
    nb_msg_passing_steps: int
    #: Learning rate of Adam.
    learning_rate: float
    #: Gradient clipping: largest global norm; 0: no clipping.
    grad_clip_max_norm: float
    #: Dropout probability of hidden units.
    dropout_prob: float
    #: Probability that a training sample is fed the true hints.
    hint_teacher_forcing: float
    #: ``encoded_decoded``, ``decoded_only`` or ``none``.
    hint_mode: str
    #: ``soft``, ``hard`` or ``hard_on_eval``.
    hint_repred_mode: str
    #: Apply layer normalisation to the processor's output.
    use_ln: bool
    #: Apply an LSTM after message passing.
    use_lstm: bool
    #: Number of triplet features.
    nb_triplet_fts: int
    #: ``default`` or ``xavier_on_scalars``.
    encoder_init: str
    #: Processor; ``narscope list processors`` has them.
    processor_type: str
    #: The same as ``processor_type``.
    processor: str
    #: Parts whose weights stay fixed: ``processor``, ``encoders``, ``decoders``.
    freeze: str | Sequence[str]
    #: Folder of a run whose best weights some parts start from.
    init_from: str | None
    #: Parts that start from the weights of ``init_from``.
    init_parts: str | Sequence[str]
    #: ``max``, ``min``, ``mean``, ``sum`` or ``softmax``.
    aggregator: str
    #: Temperature of the softmax aggregator; 0 equals ``max``.
    temperature: float
    #: Train the temperature, starting from ``temperature``.
    learn_temperature: bool
    #: Aggregator outside training: ``as_trained``, or any value of ``aggregator``.
    eval_aggregator: str
    #: Factor that scales the hidden state in each round of message passing; 1: no decay.
    decay: float
    #: ``zero`` or ``mean``.
    decay_towards: str
    #: ``before_step`` or ``after_step``.
    decay_at: str
    #: ``fused`` or ``generic``.
    kernels: str
