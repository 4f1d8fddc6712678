"""How fast the reference learns and predicts: the other side of `narscope bench`.

    training_speed.py train   ALGORITHM PROCESSOR   updates on the batches of the run script
    training_speed.py predict ALGORITHM PROCESSOR   one batch of problems of the test size

Prints a line of JSON for every measurement as soon as it is known, so that a process that is killed
leaves what it had. Every line says what the peak of memory was until then. What JAX compiles is
measured apart from what it runs. `cargo xtask compare training` talks to both sides.
"""

import argparse
import json
import os
import resource
import time
from collections.abc import Iterator
from unittest import mock

# The compiler shall optimise, which network_oracle.py would keep it from.
os.environ.setdefault("XLA_FLAGS", "")

from reference import ONE_THREAD, clrs, np  # isort: skip: it must come before JAX

# Networks may use all cores, as ours do: JAX asks when it first computes something.
for variable in ONE_THREAD:
    del os.environ[variable]

import jax
from clrs.examples import run
from network_cases import DEFAULTS, NetworkCase
from network_oracle import build_model, draw


def report(measure: str, **values) -> None:
    # Linux counts in 1024 bytes.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1.024 / 1000
    print(json.dumps({"measure": measure, **values, "peak_memory_mb": peak}), flush=True)


def age() -> float:
    """Seconds since this process was started, from the same two files as on our side."""
    with open("/proc/self/stat") as stat, open("/proc/uptime") as uptime:
        # The name of the program, in parentheses, may have spaces in it.
        started = int(stat.read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return float(uptime.read().split()[0]) - started


class NoDataset:
    """Stands in for the benchmark's files, which only the run script's test set is read from."""

    def as_numpy_iterator(self) -> Iterator[clrs.Feedback]:
        return iter(())


def samplers(algorithm: str, lengths: list[int], batch: int, seed: int) -> tuple:
    """What the run script makes with its defaults: training batches, validation batches, how many
    validation samples there are, and the spec."""
    run.FLAGS(["narscope"])
    rng = np.random.RandomState(seed)
    rng.randint(2**32)  # the key of JAX
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
    # String matchers have one length whatever was asked for; a pass takes as many updates all the same.
    for place in range(len(lengths) * (1 + arguments.passes)):
        start = time.perf_counter()
        if place == len(lengths):
            measured_since = start
        elif place % len(lengths) == 0 and place > 0 and start - measured_since > arguments.seconds:
            break
        feedback = next(batches)
        drawing = time.perf_counter() - start
        if place == 0:
            model.init([feedback.features], arguments.seed + 1)
        positions = next(x.data for x in feedback.features.inputs if x.name == "pos")
        nodes = positions.shape[1]
        # JAX compiles anew for every number of nodes and of steps, and the latter may grow.
        shape = nodes, feedback.features.hints[0].data.shape[0]
        if shape not in compiled:
            compiled.add(shape)
            report("compilation", length=nodes, seconds=update(feedback))
        if place == 0:
            report("first_update", seconds=age())
        if place >= len(lengths):
            ms = {"ms": 1000 * update(feedback), "drawing_ms": 1000 * drawing}
            report("update", length=nodes, **ms)


def predict(arguments: argparse.Namespace) -> None:
    network = DEFAULTS | {"processor_type": arguments.processor}
    [length] = arguments.lengths
    case = NetworkCase("", [arguments.algorithm], length, arguments.batch, arguments.seed, network)
    _, feedback, spec = draw(case, arguments.algorithm)
    steps = max(1, int(max(feedback.features.lengths)) - 1)
    report("drawing", length=length, steps=steps, seconds=age())

    # Weights do not depend on the size of the problem, and small ones make them sooner.
    small = NetworkCase("", [arguments.algorithm], 16, 1, arguments.seed, network)
    _, first_look, _ = draw(small, arguments.algorithm)
    model = build_model(network, [first_look], [spec], debug=False)
    model.init([first_look.features], arguments.seed + 1)

    key = jax.random.PRNGKey(arguments.seed)
    start = time.perf_counter()
    # What model.predict calls: of algorithm 0, without hints, outputs of the last step only.
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
    parser.add_argument("--lengths", default="4,7,11,13,16", help="one only to predict")
    parser.add_argument("--passes", type=int, default=3, help="measured, over all lengths")
    parser.add_argument("--seconds", type=float, default=3600, help="after which no pass begins")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=42)
    arguments = parser.parse_args()
    arguments.lengths = [int(length) for length in arguments.lengths.split(",")]

    # If memory runs out, it is this process that shall go, and not whatever else is running.
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
