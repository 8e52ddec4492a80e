"""The command `lve doctor`: checks settings and variables, runs all other checks, and prints the
findings."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

import click

from lve.cli.printing import View, print_line, print_view
from lve.cli.shared_options import json_option
from lve.errors import LveError, UsageError
from lve.escape import excerpt, one_line
from lve.exit_code import ExitCode
from lve.extension_table import extension_part
from lve.extensions.doctor.machine import Finding, Status, machine_findings, sandbox_findings
from lve.extensions.doctor.stores import store_findings, team_store_findings
from lve.file_names import SETTINGS_FILE
from lve.named_tuples import NamedTuple
from lve.options.run_options import OPTIONS, variables_of
from lve.pipeline.choosing.loading import choose_workspace
from lve.plurals import amount
from lve.reporting.terminal import SYMBOLS, Terminal
from lve.suggest import did_you_mean
from lve.workspace import Workspace, display_path

MARKS: dict[Status, str] = {
    "good": SYMBOLS["passed"][0],
    "note": SYMBOLS["inconclusive"][0],
    "bad": SYMBOLS["failed"][0],
}
WORDS: dict[Status, str] = {"good": "ok  ", "note": "note", "bad": "BAD "}
MAX_MODELS = 20
"""Models that are checked at most: settings may have many roles."""
WIDTH = 14
"""Columns for the names of findings."""


@click.command()
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    metavar="MODEL",
    envvar=variables_of("models"),
    help="Check this model. Repeat for several.  [default: those of the settings]",
)
@click.option(
    "--base-url",
    metavar="URL",
    envvar=variables_of("base_url"),
    help="URL of an OpenAI-compatible server.",
)
@click.option(
    "--session-dir",
    metavar="FOLDER",
    envvar=variables_of("state"),
    help="Folder of sessions and cache.  [default: .lve]",
)
@click.option(
    "--ask",
    is_flag=True,
    help="Also send each model nine short requests, to see what it supports.",
)
@click.option(
    "--trust",
    is_flag=True,
    help="Also check the applications of the settings that are programs, and let them run.",
)
@click.option("--offline", is_flag=True, help="Send nothing.")
@click.option("-v", "--verbose", is_flag=True, help="Show also what is fine.")
@json_option
def doctor(
    models: tuple[str, ...],
    base_url: str | None,
    session_dir: str | None,
    ask: bool,
    trust: bool,
    offline: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    """Check what works on this machine, and what doesn't.

    Checks Python, packages, settings and their sources, models (address, key, whether the server
    answers), the sandbox for the tests' code, sessions, the cache, and the team's store. Shows what
    will fail, then what may be missing; what is fine is counted. Never prints keys. Without --ask,
    it only requests the list of models from servers, which is free.

    \b
    lve doctor
    lve doctor --model ollama/llama3.2 --ask
    lve doctor --trust --ask
    lve doctor --offline --json
    """
    if ask and offline:
        raise UsageError("--ask and --offline exclude each other", code="conflicting_options")
    terminal = None if as_json else Terminal(sys.stdout)
    report = Report(terminal, shows_all=verbose)
    how = How(ask=ask, trust=trust, offline=offline)
    asyncio.run(_check_all(report, models, base_url, session_dir, how))
    report.close()
    is_well = all(finding.status != "bad" for finding in report.findings)
    document = {"is_well": is_well, "findings": [finding.to_json() for finding in report.findings]}
    code = ExitCode.as_expected if is_well else ExitCode.invalid
    return print_view(View(lambda: document, exit_code=code), as_json=as_json)


class How(NamedTuple):
    """What may be done to find out."""

    ask: bool
    """Send each model requests."""
    trust: bool
    """Start programs of the settings."""
    offline: bool
    """Send nothing."""


class Report:
    """Collects findings, and prints them: all of them, each at once, because models may be slow; or
    in the end what isn't fine, the worst first."""

    def __init__(self, terminal: Terminal | None, *, shows_all: bool = True) -> None:
        """Args:
        terminal: where to print; None: print nothing.
        shows_all: whether to print also what is fine.
        """
        self.findings: list[Finding] = []
        self._terminal = terminal
        self._shows_all = shows_all
        self._area: str | None = None

    def add(self, finding: Finding) -> None:
        """Add a finding."""
        self.findings.append(finding)
        if self._shows_all:
            self._print(finding)

    def close(self) -> None:
        """Print what isn't fine, and how much is, unless all has been printed."""
        if self._shows_all or self._terminal is None:
            return
        for status in ("bad", "note"):
            for finding in self.findings:
                if finding.status == status:
                    self._print(finding)
        count = sum(finding.status == "good" for finding in self.findings)
        print_line(f"{amount(count, 'check', 'is')} fine (`lve doctor -v` shows all)")

    def _print(self, finding: Finding) -> None:
        if self._terminal is None:
            return
        if finding.area != self._area:
            print_line(one_line(finding.area))
            self._area = finding.area
        mark = MARKS[finding.status] if self._terminal.has_symbols else WORDS[finding.status]
        print_line(f"  {mark} {one_line(finding.what):<{WIDTH}} {one_line(finding.text)}")
        if finding.hint is not None:
            print_line(f"    {'':<{WIDTH}} {one_line(finding.hint)}")

    def add_all(self, findings: Iterable[Finding]) -> None:
        """Add several findings."""
        for finding in findings:
            self.add(finding)


async def _check_all(
    report: Report,
    models: tuple[str, ...],
    base_url: str | None,
    session_dir: str | None,
    how: How,
) -> None:
    """Add the findings of all checks to `report`."""
    report.add_all(machine_findings())
    workspace, settings = workspace_findings()
    report.add_all(settings)
    if workspace is not None:
        async for finding in _model_findings(workspace, models, base_url, how):
            report.add(finding)
    report.add_all(sandbox_findings())
    if workspace is not None:
        folder = Path(session_dir) if session_dir else workspace.session_dir
        report.add_all(store_findings(folder))
        report.add_all(team_store_findings(workspace.settings.cache, offline=how.offline))


async def _model_findings(
    workspace: Workspace,
    models: tuple[str, ...],
    base_url: str | None,
    how: How,
) -> AsyncIterator[Finding]:
    # Late: it loads what sends requests.
    from lve.extensions.doctor.endpoints import PROGRAMS, Endpoint

    settings = workspace.settings
    own = [settings.model] if settings.model else []
    if how.trust:
        own += [name for name, entry in settings.models.items() if entry.provider in PROGRAMS]
    names = models or tuple(dict.fromkeys([*own, *settings.roles.values()]))
    if not names:
        text = "the settings name none, so each test or --model must"
        yield Finding("settings", "model", "note", text)
    for name in names[:MAX_MODELS]:
        endpoint = Endpoint(name, settings, base_url, how.trust)
        async for finding in endpoint.findings(ask=how.ask, offline=how.offline):
            yield finding
    if len(names) > MAX_MODELS:
        text = f"{len(names) - MAX_MODELS:,} more aren't checked: name them with --model"
        yield Finding("settings", "models", "note", text)


SETTINGS = "settings"
PREFIX = "LVE_"
OTHER_VARIABLES = frozenset(
    f"{PREFIX}{name}"
    for name in ("AUTHOR", "CACHE_HOME", "OUTPUT", "REPLAY", "STORE", "TOOLS", "TRACEBACK")
)
"""Variables of lve that aren't options of a run."""
MOST_SHOWN = 40
"""Settings that are shown."""
LONGEST = 100
"""Characters of a value that are shown."""


def workspace_findings() -> tuple[Workspace | None, list[Finding]]:
    """Return the workspace of the current folder (None if its settings are invalid), and the
    findings about it."""
    try:
        workspace = choose_workspace(())
    except LveError as error:
        problems = str(error).splitlines()
        return None, [Finding(SETTINGS, SETTINGS_FILE, "bad", problem) for problem in problems]
    findings = [Finding(SETTINGS, "workspace", "good", str(workspace.root)), _file(workspace)]
    if not workspace.settings.is_own:
        hint = "go to that folder if the settings are yours"
        text = "of another workspace than the current folder's: they grant nothing"
        findings.append(Finding(SETTINGS, "whose", "note", text, hint))
    return workspace, [*findings, *_settings_values(workspace), *_variables()]


def _file(workspace: Workspace) -> Finding:
    file = workspace.settings.file
    if file is None:
        hint = f"`lve init` makes a workspace with {SETTINGS_FILE}"
        return Finding(SETTINGS, "file", "note", "none: lve's defaults apply", hint)
    text = f"{display_path(file)} (`lve run --show-config` shows what applies to each test)"
    return Finding(SETTINGS, "file", "good", text)


def _settings_values(workspace: Workspace) -> Iterator[Finding]:
    """Yield the values of the settings file."""
    values = [*extension_part("written settings")(workspace)]
    for setting in values[:MOST_SHOWN]:
        text = f"{excerpt(setting.text, LONGEST)} ({setting.origin})"
        yield Finding(SETTINGS, setting.name, "good", text)
    if len(values) > MOST_SHOWN:
        text = f"{len(values) - MOST_SHOWN:,} more: `lve run --show-config` prints them"
        yield Finding(SETTINGS, "...", "good", text)


def _variables() -> Iterator[Finding]:
    """Yield lve's environment variables, which override the settings file."""
    variables = OTHER_VARIABLES.union(*(variables_of(name) for name in OPTIONS))
    for name in sorted(os.environ):
        if name in variables:
            text = f"{excerpt(os.environ[name], LONGEST)} (environment)"
            yield Finding(SETTINGS, name, "good", text)
        elif name.startswith(PREFIX):
            hint = did_you_mean(name, variables)
            yield Finding(SETTINGS, name, "note", "lve has no such variable", hint)
