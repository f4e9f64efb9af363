"""`python -m deltafold`: the command line of the project, the same program."""

import signal
import sys

from ._native import _main


def main() -> int:
    """Runs the command line with the arguments of this process; the exit code."""
    # Python's own handlers would keep Ctrl-C and a closed pipe from ending a command that runs outside of Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return _main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
