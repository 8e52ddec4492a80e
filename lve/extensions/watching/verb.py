"""`lve watch`: short for `lve run --watch`."""

from __future__ import annotations

from typing import Any

import click

from lve.cli.run.command import run
from lve.cli.run.command_options import RUN_ONCE, RunCommand, RunRequest
from lve.extensions.watching.watch import watch as run_and_watch

WITHOUT = frozenset({"watch", "show_config", *RUN_ONCE})
"""Options of `lve run` that make no sense in a run that repeats."""


@click.pass_context
def _watch(ctx: click.Context, /, **words: Any) -> None:
    absent = dict.fromkeys(WITHOUT)
    ctx.exit(run_and_watch(RunRequest.read({**absent, **words, "watch": True})))


watch = RunCommand(
    "watch",
    callback=_watch,
    params=[option for option in run.params if option.name not in WITHOUT],
    help="""Run each test again when its files change, until Ctrl-C.

    The same as `lve run --watch`: runs all tests once, and then those that change.

    \b
    lve watch tests --model openai/gpt-6-luna
    """,
)
