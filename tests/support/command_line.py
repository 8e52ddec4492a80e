"""The command line, called in this process."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from lve.cli.main import cli


def lve(*arguments: str | Path, answers: str | None = None) -> Result:
    """Call `lve` as a shell does and return what it wrote, its exit code and its exception.

    Args:
        arguments: the verb and what follows it.
        answers: what a user types, line by line.
    """
    return CliRunner().invoke(cli, [*map(str, arguments)], input=answers)


def call(*arguments: str | Path) -> tuple[int, str, str]:
    """Call a verb that returns its exit code, and return that, stdout and stderr.

    Raises:
        Exception: what the verb raises, such as an LveError.
    """
    result = CliRunner().invoke(cli, [*map(str, arguments)], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout, result.stderr
