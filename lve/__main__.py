"""The start of the `lve` command and of `python -m lve`."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with a code from docs/cli.md.

    The rest of lve is imported here, so that Ctrl-C during the imports prints no traceback.
    """
    try:
        from lve.cli.main import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.exit(130)  # `ExitCode.interrupted`, which may not be imported yet


if __name__ == "__main__":
    main()
