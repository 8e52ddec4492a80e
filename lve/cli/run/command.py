"""The command `lve run`: its options, and which part of the package handles them.

It imports asyncio without what that needs for connections and errors that most runs don't have.
OpenSSL and `ssl` take as long to load as all the rest of asyncio, `logging` and `traceback` half as
long. Tests of the model `dummy`, replays and servers on this machine need none of them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from lve.cli.run.command_options import RunCommand, RunRequest, run_options, temperature_option
from lve.cli.shared_options import (
    option_group,
    output_options,
    paths_argument,
    report_options,
    value_callback,
)
from lve.extension_table import extension_part
from lve.late import LateObject, import_without, when_imported
from lve.options.values import ROWS

session_options = option_group(
    click.option(
        "--resume",
        is_flag=False,
        flag_value="last",
        metavar="[SESSION]",
        help="Continue a session (by default the last one): run only what is missing.",
    ),
    click.option(
        "--retry-errors",
        is_flag=False,
        flag_value="last",
        metavar="[SESSION]",
        help="Continue a session (by default the last one): run only what ended in an error.",
    ),
    click.option("--last-failed", is_flag=True, help="Run only what failed in the last session."),
    click.option(
        "--watch",
        is_flag=True,
        help="Keep running until Ctrl-C: run each test again when its files change.",
    ),
    click.option(
        "--show-config",
        is_flag=True,
        help="Send nothing; print the value of every option and setting, and its source.",
    ),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Send nothing; print the number of calls, and the estimated tokens and cost.",
    ),
    click.option(
        "--explain",
        callback=value_callback(ROWS),
        metavar="ROW",
        help="Run only this row, counted from 1, and tell its story: prompt, request, answer, the "
        "part that was judged, each check's steps.",
    ),
    click.option(
        "--trace",
        metavar="FILE",
        help="Write a log of what lve does and why: files, options, cache, retries, waits, prices.",
    ),
)
"""Options that continue an earlier session, or start none."""


@click.command(cls=RunCommand)
@paths_argument
@run_options("run")
@temperature_option
@session_options
@report_options
@output_options
@click.pass_context
def run(ctx: click.Context, /, **words: Any) -> None:
    """Run tests against models and report what passed.

    \b
    lve run repository --model replay
    lve run repository/privacy/test.json --model openai/gpt-6-luna
    lve run TEST --model my/model --base-url http://localhost:8000/v1
    lve run --resume                   continue after Ctrl-C or a crash

    \b
    Exit codes: 0 all as expected, 1 a test failed, 2 usage or invalid test,
    3 errors left, 4 inconclusive (0 with --allow-inconclusive),
    5 nothing selected, 6 budget reached, 130 interrupted.
    If several apply, the first of 130, 6, 2, 3, 1, 5, 4.
    """
    import_asyncio()  # before the others import it
    from lve.cli.run.session import execute

    request = RunRequest.read(words)
    if words["show_config"]:
        ctx.exit(extension_part("configuration")(ctx, request))
    if request.watch:
        ctx.exit(extension_part("watch")(request))
    if request.trace is not None or request.explain is not None:
        ctx.exit(extension_part("account of a run")(ctx, request))
    ctx.exit(execute(request))


class _Logger(LateObject):
    """Stands for a logger. A loop says which selector it uses when it is made."""

    def debug(self, *args: object) -> None:
        """Log, unless nobody can have set the level that this takes."""
        if "logging" in sys.modules:
            self.made().debug(*args)


_AT_FIRST_USE: Mapping[str, Mapping[str, Any]] = {
    "ssl": {"SSLSocket": type("SSLSocket", (), {})},  # no socket to connect is one
    "asyncio.sslproto": {},
    "traceback": {"extract_stack": lambda: import_module("traceback").extract_stack()},
    "subprocess": {"PIPE": -1, "STDOUT": -2, "DEVNULL": -3},
    "logging": {
        "DEBUG": 10,
        "getLogger": lambda name: _Logger(lambda: import_module("logging").getLogger(name)),
        "StreamHandler": lambda: None,  # concurrent.futures makes one, and never uses it
    },
}


TLS_BYTES = 16 * 1024
"""What an encrypted connection reads at once, as one that isn't encrypted. asyncio has 256 KB for
each: 128 MB for 500 connections."""


def import_asyncio() -> None:
    """Import asyncio, unless that has happened, without the modules of `_AT_FIRST_USE`."""
    import_without("asyncio", _AT_FIRST_USE)
    when_imported("asyncio.sslproto", _read_less)


def _read_less(sslproto: Any) -> None:
    sslproto.SSLProtocol.max_size = TLS_BYTES
