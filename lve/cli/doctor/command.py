"""`lve doctor`: what works here, and what doesn't."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable

import click

from lve.cli.doctor.finding import Finding, Status
from lve.cli.doctor.machine import machine_findings, sandbox_findings
from lve.cli.doctor.stores import store_findings, workspace_findings
from lve.cli.shared_options import json_option
from lve.cli.talk import print_json, say_line
from lve.errors import UsageError
from lve.escape import one_line
from lve.exit_code import ExitCode
from lve.reporting.marks import SYMBOLS
from lve.reporting.terminal import Terminal
from lve.workspace import Workspace

MARKS: dict[Status, str] = {
    "good": SYMBOLS["passed"][0],
    "note": SYMBOLS["inconclusive"][0],
    "bad": SYMBOLS["failed"][0],
}
WORDS: dict[Status, str] = {"good": "ok  ", "note": "note", "bad": "BAD "}
WIDTH = 14
"""Of the names of what was looked at."""


@click.command()
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    metavar="MODEL",
    help="Look at this model.  [default: those of the settings]",
)
@click.option("--base-url", metavar="URL", help="An OpenAI-compatible server.")
@click.option(
    "--ask", is_flag=True, help="Also ask each model nine short questions, to see what it takes."
)
@click.option("--offline", is_flag=True, help="Send nothing.")
@json_option
def doctor(
    models: tuple[str, ...], base_url: str | None, ask: bool, offline: bool, as_json: bool
) -> int:
    """Say what works here, and what doesn't.

    Looks at Python, packages, settings, models (address, key, whether the server answers), the
    sandbox for code of tests, sessions and the cache. Keys are never shown. Without --ask, servers
    are only asked for their list of models, which costs nothing.

    \b
    lve doctor
    lve doctor --model ollama/llama3.2 --ask
    lve doctor --offline --json
    """
    if ask and offline:
        raise UsageError("--ask and --offline exclude each other")
    found = list(machine_findings())
    workspace, settings = workspace_findings()
    found += settings
    if workspace is not None:
        found += _of_models(workspace, models, base_url, ask=ask, offline=offline)
    found += sandbox_findings()
    if workspace is not None:
        found += store_findings(workspace)
    bad = [one for one in found if one.status == "bad"]
    if as_json:
        print_json({"is_well": not bad, "findings": [one.to_json() for one in found]})
    else:
        _print(found)
    return ExitCode.invalid if bad else ExitCode.as_expected


def _of_models(
    workspace: Workspace,
    given: tuple[str, ...],
    base_url: str | None,
    *,
    ask: bool,
    offline: bool,
) -> list[Finding]:
    from lve.cli.doctor.endpoints import Endpoint  # late: it loads what sends requests

    settings = workspace.settings
    own = [settings.model] if settings.model else []
    names = given or tuple(dict.fromkeys([*own, *settings.roles.values()]))
    if not names:
        text = "the settings name none: each test, or --model, has to"
        return [Finding("settings", "model", "note", text)]

    async def look() -> list[Finding]:
        endpoints = [Endpoint(name, settings, base_url) for name in names]
        return [
            one
            for endpoint in endpoints
            async for one in endpoint.findings(ask=ask, offline=offline)
        ]

    return asyncio.run(look())


def _print(found: Iterable[Finding]) -> None:
    terminal = Terminal(sys.stdout)
    area = None
    for one in found:
        if one.area != area:
            area = one.area
            say_line(one_line(area))
        mark = MARKS[one.status] if terminal.has_symbols else WORDS[one.status]
        say_line(f"  {mark} {one.what:<{WIDTH}} {one_line(one.text)}")
        if one.hint is not None:
            say_line(f"    {'':<{WIDTH}} {one_line(one.hint)}")
