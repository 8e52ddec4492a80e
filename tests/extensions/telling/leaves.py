"""The commands of the command line that do something, those of groups too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click


def leaves(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the words of each command that does something, and the command."""
    if not isinstance(command, click.Group):
        yield " ".join(words), command
        return
    context = click.Context(command)
    for word in command.list_commands(context):
        inner = command.get_command(context, word)
        assert inner is not None
        yield from leaves(inner, (*words, word))
