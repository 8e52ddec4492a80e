"""The command line, called in this process."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from lve.cli.main import _refused as refused
from lve.cli.main import cli
from lve.errors import LveError

ENDS = (click.ClickException, click.Abort, KeyboardInterrupt, LveError, OSError)
"""What `main` makes a line and an exit code of."""


class _Command:
    """The command line as `lve.cli.main.main` runs it, for click's runner."""

    name = "lve"
    error: BaseException | None = None

    def main(self, args: list[str], prog_name: str, **_: Any) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", [prog_name, *args])
            try:
                code = cli.main(args, prog_name, standalone_mode=False)
            except ENDS as error:
                self.error = error
                code = refused(error)
        sys.exit(code if isinstance(code, int) else 0)


def lve(
    *arguments: str | Path, code: int | None = 0, answers: str | None = None, **runner: Any
) -> Result:
    """Call `lve` as a shell does and return what it wrote, its exit code and its exception.

    Args:
        arguments: the verb and what follows it.
        code: the exit code that it must have; None if the caller looks at it.
        answers: what a user types, line by line.
        runner: more options of click's runner, such as `color`.
    """
    command: Any = _Command()
    words = [*map(str, arguments)]
    result = CliRunner().invoke(command, words, input=answers, catch_exceptions=False, **runner)
    result.exception = command.error or result.exception
    assert code in (None, result.exit_code), f"exit code {result.exit_code}:\n{result.output}"
    return result


def call(*arguments: str | Path) -> tuple[int, str, str]:
    """Call a verb that returns its exit code, and return that, stdout and stderr.

    Raises:
        Exception: what the verb raises, such as an LveError.
    """
    result = CliRunner().invoke(cli, [*map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout, result.stderr
