"""`python -m lve`, and where the `lve` command begins."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and leave the process with an exit code of docs/cli.md.

    Imports the rest only here, so that Ctrl-C during these imports is as quiet as a later one.
    """
    try:
        from lve.cli.main import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        sys.exit(130)  # as `ExitCode.interrupted`, which may not be there yet


if __name__ == "__main__":
    main()
