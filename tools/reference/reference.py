"""Imports dm-clrs without its start-up messages and converts its batches to NumPy arrays."""

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from unittest import mock

from cases import Case

# Set before the imports, which read them: one thread (sampling speed is compared on a single thread,
# and parity runs one process per core), no GPU, no start-up messages.
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
    """Redirects file descriptor 2 to /dev/null: C++ libraries write to it directly."""
    sys.stderr.flush()
    saved = os.dup(2)
    with open(os.devnull, "w") as null:
        os.dup2(null.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)


with silent_stderr():
    import absl.logging
    import clrs
    import numpy as np

absl.logging.set_verbosity(absl.logging.ERROR)


@contextlib.contextmanager
def stable_argsort() -> Iterator[None]:
    """Makes the reference break ties by index.

    Its algorithms call np.argsort, whose default is unstable: the order of equal keys depends on
    the instruction set of the CPU. Keys are equal only after truncation.
    """
    argsort = np.argsort

    def stable(array: np.ndarray) -> np.ndarray:
        return argsort(array, kind="stable")

    with mock.patch.object(np, "argsort", stable):
        yield


def build(case: Case, **more) -> tuple[clrs.Sampler, clrs.Spec]:
    """Returns the reference's sampler for a case, and the spec of its probes."""
    has_ties = "truncate_decimals" in case.options
    with stable_argsort() if has_ties else contextlib.nullcontext():
        return clrs.build_sampler(
            case.algorithm,
            num_samples=case.num,
            length=case.length,
            seed=case.seed,
            **case.options,
            **more,
        )


def arrays(feedback: clrs.Feedback) -> dict[str, np.ndarray]:
    """Returns every data point of a batch by its key in our files, in the reference's order."""
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
