"""Times the reference's samplers on one thread: counterpart of examples/sampling_speed.rs.

Reads lines `ALGORITHM LENGTH COUNT` and prints for each the seconds that it took to build a sampler
with that many samples and seed 1. `cargo xtask compare sampling` runs both programs.
"""

import sys
import time

from cases import Case
from reference import build


def main() -> None:
    for line in sys.stdin:
        algorithm, length, count = line.split()
        case = Case(algorithm, int(length), int(count), seed=1)
        start = time.perf_counter()
        build(case)
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
