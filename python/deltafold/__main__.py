"""`python -m deltafold`: the same command line as the program `deltafold`."""

import signal
import sys

try:
    from ._native import _main
except ImportError:
    sys.exit("error: this build of deltafold has no command line; build it with the cargo feature `cli`")


def main() -> int:
    """Runs the command line with the arguments of this process and returns the exit code."""
    # Python's signal handlers only run between Python instructions, so Ctrl-C and a closed pipe would not end the native command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return _main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
