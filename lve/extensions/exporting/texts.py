"""Writes what is exported to a new file, or prints it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import click

from lve.errors import UsageError
from lve.files.atomic_file import replacing, unwritable


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
    if os.path.lexists(path):
        raise UsageError(
            f"{output} exists, and nothing is overwritten: name another file", code="exists"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            return sum(bool(file.write(f"{line}\n".encode())) for line in lines)
    except OSError as error:
        raise unwritable(output, error) from None


def _printed(line: str) -> bool:
    click.echo(line)
    return True
