"""Writes what is exported to a new file, or prints it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from lve.errors import UsageError
from lve.files.inside import reason_of


def write_text(lines: Iterable[str], output: str | None) -> int:
    """Write lines as they come, and return their number.

    Args:
        lines: without line ends.
        output: a new file; None: stdout.

    Raises:
        UsageError: the file exists or can't be written.
    """
    if output is None:
        return sum(_printed(line) for line in lines)
    path = Path(output)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            try:
                return sum(bool(file.write(f"{line}\n")) for line in lines)
            except BaseException:
                path.unlink()
                raise
    except FileExistsError:
        raise UsageError(
            f"{output} exists, and nothing is overwritten: name another file", code="exists"
        ) from None
    except OSError as error:
        raise UsageError(
            f"{output} can't be written: {reason_of(error)}", code="unwritable"
        ) from None


def _printed(line: str) -> bool:
    click.echo(line)
    return True
