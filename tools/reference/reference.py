"""The one door to dm-clrs: imports it quietly and hands out what its samplers hold as plain arrays."""

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from unittest import mock

from cases import Case

# Before the imports, which read them: one thread (timings of samplers compare single threads, and
# parity runs one process per core), no GPU, no start-up messages.
ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "TF_NUM_INTEROP_THREADS",
    "TF_NUM_INTRAOP_THREADS",
)
os.environ.update(dict.fromkeys(ONE_THREAD, "1"), JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
warnings.simplefilter("ignore")


@contextlib.contextmanager
def silent_stderr() -> Iterator[None]:
    """Closes file descriptor 2 to libraries that write to it from C++, where Python cannot filter."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


with silent_stderr():
    import absl.logging
    import clrs
    import numpy as np

absl.logging.set_verbosity(absl.logging.ERROR)


@contextlib.contextmanager
def stable_argsort() -> Iterator[None]:
    """Makes the reference break ties by index.

    Its algorithms call np.argsort, whose default is unstable: the order of equal keys depends on
    the instructions of the CPU. Keys are equal only after truncation.
    """
    argsort = np.argsort

    def stable(array: np.ndarray) -> np.ndarray:
        return argsort(array, kind="stable")

    with mock.patch.object(np, "argsort", stable):
        yield


def build(case: Case, **more) -> tuple[clrs.Sampler, clrs.Spec]:
    """The reference's sampler for a case, and the spec of its probes."""
    ties = "truncate_decimals" in case.options
    with stable_argsort() if ties else contextlib.nullcontext():
        return clrs.build_sampler(
            case.algorithm,
            num_samples=case.num,
            length=case.length,
            seed=case.seed,
            **case.options,
            **more,
        )


def arrays(feedback: clrs.Feedback) -> dict[str, np.ndarray]:
    """Every data point of a batch under the key it has in our files, in the reference's order."""
    stages = {
        "input": feedback.features.inputs,
        "hint": feedback.features.hints,
        "output": feedback.outputs,
    }
    return {
        f"{stage}/{point.name}": np.asarray(point.data)
        for stage, points in stages.items()
        for point in points
    }
