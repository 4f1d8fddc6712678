"""A generator of CLRS-Text, in the form that ``datasets.Dataset.from_generator`` takes."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from narscope._errors import InputError
from narscope.clrs.clrs_text.clrs_utils import format_clrs_example
from narscope.clrs.samplers import build_sampler


def clrs_generator(
    algos_and_lengths: Mapping[str, Sequence[int]],
    num_samples: int | None = None,
    use_hints: bool = False,
    seed: int = 0,
    num_decimals_in_float: int | None = 3,
) -> Iterator[dict[str, Any]]:
    """Samples of random algorithms and lengths as text.

    Args:
        algos_and_lengths: algorithms, each with the lengths to choose from.
        num_samples: how many; endless if not given.
        use_hints: whether the answer shows the steps of the algorithm.
        seed: of all samplers, and of the choice among them.
        num_decimals_in_float: truncate real numbers to this many decimals.

    Yields:
        ``text``, ``question``, ``answer``, ``algo_name``, ``length`` and ``use_hints`` of each sample.

    >>> next(clrs_generator({"bfs": [4]}, seed=1))["question"]
    'bfs:\\ns: 3, A: [[0 0 0 0], [0 0 0 0], [0 0 0 0], [0 0 0 1]]\\npi:\\n'
    """
    samplers = []
    for name, length in ((name, length) for name, lengths in algos_and_lengths.items() for length in lengths):
        sampler, _ = build_sampler(
            name,
            num_samples=-1,
            length=length,
            seed=seed,
            track_max_steps=False,
            truncate_decimals=num_decimals_in_float,
        )
        samplers.append((sampler, name, length))
    if not samplers:
        raise InputError("algos_and_lengths must have an algorithm with a length, found none")
    choices = random.Random(seed)
    for _ in itertools.count() if num_samples is None else range(num_samples):
        sampler, name, length = choices.choice(samplers)
        question, answer = format_clrs_example(name, sampler.next(batch_size=1), use_hints=use_hints)
        yield {
            "text": question + answer,
            "question": question,
            "answer": answer,
            "algo_name": name,
            "length": length,
            "use_hints": use_hints,
        }
