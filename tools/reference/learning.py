"""Trains the reference and prints its scores: counterpart of `narscope train --preset clrs`.

    learning.py ALGORITHM PROCESSOR [--steps 10000] [--seed 42] [--state FILE] >> lines.jsonl

Trains as the reference's run script does, with its defaults, batches and choice of checkpoint (the
first with the best validation score), and evaluates on the benchmark's test samples. The newest weights
are evaluated on the test samples too, every --test-every steps, because the choice among equally good
checkpoints is arbitrary. Prints a line of JSON for every result immediately.

It takes hours. With --state, it can be stopped at any time, and continues from its last test when it is
started again. Batches up to there are drawn again, because each one depends on the earlier ones.
"""

import argparse
import json
import os
import pickle
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
    parser.add_argument("--state", help="file of the training state, to continue from")
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

    def draw_validation() -> list[clrs.Feedback]:
        seen, drawn = 0, []
        while seen < count:
            drawn.append(next(validation))
            seen += drawn[-1].features.lengths.shape[0]
        return drawn

    best, best_params, first, elapsed_before = -1.0, None, 0, 0.0
    if arguments.state and os.path.exists(arguments.state):
        with open(arguments.state, "rb") as file:
            state = pickle.load(file)
        for step in range(state["step"] + 1):
            feedback = next(batches)
            if step == 0:
                model.init([feedback.features], arguments.seed + 1)
            if step % arguments.eval_every == 0:
                draw_validation()
        model.params, model.opt_state = state["params"], state["opt_state"]
        best, best_params, key = state["best"], state["best_params"], state["key"]
        first, elapsed_before = state["step"] + 1, state["seconds"]
    start = time.perf_counter() - elapsed_before
    for step in range(first, arguments.steps + 1):
        feedback = next(batches)
        if step == 0:
            model.init([feedback.features], arguments.seed + 1)
        key, of_update = jax.random.split(key)
        loss = float(model.feedback(of_update, feedback, 0))
        seconds = time.perf_counter() - start
        if step % arguments.eval_every == 0:
            found = score(draw_validation())
            is_best = found > best
            if is_best:
                best, best_params = found, model.params
            report("val", step, loss=loss, score=found, is_best=is_best, seconds=round(seconds))
        if step % arguments.test_every == 0 and step > 0:
            report("test of the newest", step, score=score([test]))
            if arguments.state:
                state = {"step": step, "seconds": seconds, "key": key, "best": best}
                state |= {"params": model.params, "opt_state": model.opt_state}
                with open(arguments.state + ".new", "wb") as file:
                    pickle.dump(state | {"best_params": best_params}, file)
                os.replace(arguments.state + ".new", arguments.state)
    model.params = best_params
    report("test", arguments.steps, score=score([test]), best_validation=best)


if __name__ == "__main__":
    main()
