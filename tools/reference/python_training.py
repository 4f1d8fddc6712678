"""Trains from Python what `cargo xtask compare python` trains from the command line.

    python python_training.py FOLDER STEPS
"""

import sys

import narscope


def main() -> None:
    folder, steps = sys.argv[1:]
    narscope.train("bfs", processor_type="mpnn", train_steps=int(steps), out=folder)


if __name__ == "__main__":
    main()
