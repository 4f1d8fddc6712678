"""How many samples per second the reference makes on one thread: twin of examples/sampling_speed.rs.

Reads lines `ALGORITHM LENGTH COUNT` and answers each with the seconds it took to build a sampler
that holds that many samples with seed 1. `cargo xtask compare sampling` talks to both.
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
