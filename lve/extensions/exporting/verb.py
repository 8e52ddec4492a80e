"""The command `lve export`: a group with one command per format."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click

FORMATS: Mapping[str, tuple[str, str]] = {
    "avid": (
        "lve.extensions.exporting.avid",
        "Write what a session found as AVID's reports.",
    ),
    "inspect": (
        "lve.extensions.exporting.recorded",
        "Write a session as a log of Inspect.",
    ),
    "jsonl": (
        "lve.extensions.exporting.recorded",
        "Write the results of a session as JSON lines.",
    ),
    "openai-batch": (
        "lve.extensions.exporting.openai_batch",
        "Write the requests of tests for OpenAI's batch API.",
    ),
    "promptfoo": (
        "lve.extensions.exporting.promptfoo",
        "Write tests as configurations of promptfoo.",
    ),
}
"""Format -> the module that has its command, which has the format's name with `_` for `-`; and what
it does."""


class Formats(click.Group):
    """A group that imports the module of a format only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(FORMATS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in FORMATS:
            return None
        module, _ = FORMATS[cmd_name]
        command = getattr(import_module(module), cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Formats, context_settings={"help_option_names": ["-h", "--help"]})
def export() -> None:
    """Write tests or results in the format of another tool."""
