"""Measures training and prediction of the reference: counterpart of `narscope bench`.

    training_speed.py train   ALGORITHM PROCESSOR   updates on the batches of the run script
    training_speed.py predict ALGORITHM PROCESSOR   one batch of samples of the test size

Prints a line of JSON after every measurement, so that earlier measurements survive if the process is
killed. Every line has the peak memory so far. Compilation by JAX is measured separately.
`cargo xtask compare training` runs both programs.
"""

import argparse
import json
import os
import resource
import time
from collections.abc import Iterator
from unittest import mock

# Keeps XLA's optimisations on: network_oracle.py would switch them off.
os.environ.setdefault("XLA_FLAGS", "")

from reference import ONE_THREAD, clrs, np  # isort: skip: it must come before JAX

# Networks may use all cores, as ours do. JAX reads these variables at its first computation.
for variable in ONE_THREAD:
    del os.environ[variable]

import jax
from clrs.examples import run
from network_cases import DEFAULTS, NetworkCase
from network_oracle import build_model, draw


def report(measure: str, **values) -> None:
    # On Linux, ru_maxrss is in units of 1024 bytes.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1.024 / 1000
    print(json.dumps({"measure": measure, **values, "peak_memory_mb": peak}), flush=True)


def age() -> float:
    """Seconds since this process was started, from the same two files as `narscope bench`."""
    with open("/proc/self/stat") as stat, open("/proc/uptime") as uptime:
        # The program name, in parentheses, may contain spaces.
        started = int(stat.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return float(uptime.read().split()[0]) - started


class NoDataset:
    """Empty replacement for the benchmark's files, which only the run script's test set needs."""

    def as_numpy_iterator(self) -> Iterator[clrs.Feedback]:
        return iter(())


def samplers(algorithm: str, lengths: list[int], batch: int, seed: int) -> tuple:
    """Returns what the run script creates with its defaults: training batches, validation batches,
    the number of validation samples, and the spec."""
    run.FLAGS(["narscope"])
    rng = np.random.RandomState(seed)
    rng.randint(2**32)  # the run script draws JAX's key first
    dataset = (NoDataset(), 0, clrs.SPECS[algorithm])
    with (
        mock.patch.object(run, "_maybe_download_dataset"),
        mock.patch.object(clrs, "create_dataset", return_value=dataset),
    ):
        train, validation, counts, *_, specs = run.create_samplers(
            rng, lengths, algorithms=[algorithm], train_batch_size=batch
        )
    return train[0], validation[0], counts[0], specs


def train(arguments: argparse.Namespace) -> None:
    lengths = arguments.lengths
    batches, validation, _, specs = samplers(
        arguments.algorithm, lengths, arguments.batch, arguments.seed
    )
    network = DEFAULTS | {"processor_type": arguments.processor}
    model = build_model(network, [next(validation)], specs, debug=False)
    key = jax.random.PRNGKey(arguments.seed)

    def update(feedback: clrs.Feedback) -> float:
        nonlocal key
        key, of_update = jax.random.split(key)
        start = time.perf_counter()
        jax.block_until_ready(model.feedback(of_update, feedback, 0))
        jax.block_until_ready((model._device_params, model._device_opt_state))
        return time.perf_counter() - start

    compiled = set()
    # String matchers have a single length, but a pass has the same number of updates.
    for index in range(len(lengths) * (1 + arguments.passes)):
        start = time.perf_counter()
        if index == len(lengths):
            measured_since = start
        elif index % len(lengths) == 0 and index > 0 and start - measured_since > arguments.seconds:
            break
        feedback = next(batches)
        drawing = time.perf_counter() - start
        if index == 0:
            model.init([feedback.features], arguments.seed + 1)
        positions = next(x.data for x in feedback.features.inputs if x.name == "pos")
        nodes = positions.shape[1]
        # JAX compiles for every number of nodes and of steps, and the number of steps may grow.
        shape = nodes, feedback.features.hints[0].data.shape[0]
        if shape not in compiled:
            compiled.add(shape)
            report("compilation", length=nodes, seconds=update(feedback))
        if index == 0:
            report("first_update", seconds=age())
        if index >= len(lengths):
            ms = {"ms": 1000 * update(feedback), "drawing_ms": 1000 * drawing}
            report("update", length=nodes, **ms)


def predict(arguments: argparse.Namespace) -> None:
    network = DEFAULTS | {"processor_type": arguments.processor}
    [length] = arguments.lengths
    case = NetworkCase("", [arguments.algorithm], length, arguments.batch, arguments.seed, network)
    _, feedback, spec = draw(case, arguments.algorithm)
    steps = max(1, int(max(feedback.features.lengths)) - 1)
    report("drawing", length=length, steps=steps, seconds=age())

    # The weights do not depend on the length, and a short sample initialises them faster.
    small = NetworkCase("", [arguments.algorithm], 16, 1, arguments.seed, network)
    _, small_batch, _ = draw(small, arguments.algorithm)
    model = build_model(network, [small_batch], [spec], debug=False)
    model.init([small_batch.features], arguments.seed + 1)

    key = jax.random.PRNGKey(arguments.seed)
    start = time.perf_counter()
    # The call in model.predict: algorithm 0, without hints, outputs of the last step only.
    lowered = model.jitted_predict.lower(
        model._device_params, key, feedback.features, 0, False, False
    )
    compiled = lowered.compile()
    report("compilation", length=length, seconds=time.perf_counter() - start)
    for _ in range(arguments.passes):
        start = time.perf_counter()
        jax.block_until_ready(compiled(model._device_params, key, feedback.features))
        report("prediction", length=length, ms=1000 * (time.perf_counter() - start))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", choices=("train", "predict"))
    parser.add_argument("algorithm")
    parser.add_argument("processor")
    parser.add_argument("--lengths", default="4,7,11,13,16", help="a single one for predict")
    parser.add_argument("--passes", type=int, default=3, help="measured passes over all lengths")
    parser.add_argument("--seconds", type=float, default=3600, help="start no pass after this time")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=42)
    arguments = parser.parse_args()
    arguments.lengths = [int(length) for length in arguments.lengths.split(",")]

    # If memory runs out, the kernel should kill this process and no other.
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("1000")
    try:
        {"train": train, "predict": predict}[arguments.mode](arguments)
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error):
            raise
        report("out_of_memory")


if __name__ == "__main__":
    main()
