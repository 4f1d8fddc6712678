"""How well the reference learns: the other side of `narscope train --preset clrs`.

    learning.py ALGORITHM PROCESSOR [--steps 10000] [--seed 42] >> lines.jsonl

Trains as the reference's run script does, with its defaults, batches and way to choose a checkpoint
(the first with the best score on validation samples), and scores on the benchmark's test samples. The
newest weights are scored on these, too, every now and then: choosing among equally good checkpoints is
a lottery of its own. Prints a line of JSON for everything as soon as it is known.
"""

import argparse
import json
import time

from training_speed import samplers  # isort: skip: it must come before JAX

import jax

from network_cases import DEFAULTS, NetworkCase
from network_oracle import build_model, draw
from reference import clrs, np


def report(split: str, step: int, **values) -> None:
    print(json.dumps({"split": split, "step": step, **values}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("algorithm")
    parser.add_argument("processor")
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--eval-every", type=int, default=50)
    parser.add_argument("--test-every", type=int, default=500)
    parser.add_argument("--seed", type=int, default=42)
    arguments = parser.parse_args()

    lengths = [4, 7, 11, 13, 16]
    batches, validation, count, specs = samplers(arguments.algorithm, lengths, 32, arguments.seed)
    network = DEFAULTS | {"processor_type": arguments.processor}
    # The benchmark's test samples: 32 of 64 nodes, seed 3.
    test = NetworkCase("", [arguments.algorithm], 64, 32, 3, network)
    _, test, _ = draw(test, arguments.algorithm)
    model = build_model(network, [next(validation)], specs, debug=False)
    key = jax.random.PRNGKey(arguments.seed)

    def score(feedbacks: list[clrs.Feedback]) -> float:
        nonlocal key
        scores = []
        for feedback in feedbacks:
            key, of_batch = jax.random.split(key)
            predictions, _ = model.predict(of_batch, feedback.features)
            scores.append(float(clrs.evaluate(feedback.outputs, predictions)["score"]))
        return float(np.mean(scores))

    best, best_params, start = -1.0, None, time.perf_counter()
    for step in range(arguments.steps + 1):
        feedback = next(batches)
        if step == 0:
            model.init([feedback.features], arguments.seed + 1)
        key, of_update = jax.random.split(key)
        loss = float(model.feedback(of_update, feedback, 0))
        if step % arguments.eval_every == 0:
            seen, drawn = 0, []
            while seen < count:
                drawn.append(next(validation))
                seen += drawn[-1].features.lengths.shape[0]
            found = score(drawn)
            is_best = found > best
            if is_best:
                best, best_params = found, model.params
            seconds = round(time.perf_counter() - start)
            report("val", step, loss=loss, score=found, is_best=is_best, seconds=seconds)
        if step % arguments.test_every == 0 and step > 0:
            report("test of the newest", step, score=score([test]))
    model.params = best_params
    report("test", arguments.steps, score=score([test]), best_validation=best)


if __name__ == "__main__":
    main()
