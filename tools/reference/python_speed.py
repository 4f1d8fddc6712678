"""Times batches of 32 as NumPy arrays, from Python: ours and the reference's.

Reads lines `ALGORITHM LENGTH COUNT` and prints for each the seconds that so many batches took, without making the
sampler. `cargo xtask compare python` runs it once for each side.
"""

import importlib
import sys
import time

BATCH_SIZE = 32


def main() -> None:
    side = sys.argv[1]
    if side == "ours":
        clrs = importlib.import_module("narscope.clrs")
    else:
        # Without its start-up messages.
        clrs = importlib.import_module("reference").clrs
    for line in sys.stdin:
        algorithm, length, count = line.split()
        sampler, _ = clrs.build_sampler(
            algorithm, num_samples=-1, length=int(length), seed=1, track_max_steps=False
        )
        start = time.perf_counter()
        for _ in range(int(count)):
            sampler.next(BATCH_SIZE)
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
