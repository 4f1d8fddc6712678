"""The command line ``narscope``, the same as that of Rust: ``python -m narscope`` or ``narscope``."""

from __future__ import annotations

import shutil
import sys
import sysconfig

from narscope import _narscope


def main() -> int:
    """Runs the command line with the arguments of this process and returns its exit code."""
    # What a sweep starts other processes with.
    script = shutil.which("narscope", path=sysconfig.get_path("scripts")) or sys.argv[0]
    sys.stdout.flush()
    sys.stderr.flush()
    return _narscope.command_line(script, ["narscope", *sys.argv[1:]])


if __name__ == "__main__":
    raise SystemExit(main())
