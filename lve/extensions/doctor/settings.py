"""Checks the settings of the workspace and lve's environment variables for `lve doctor`."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lve.errors import LveError
from lve.escape import excerpt
from lve.extension_table import extension_part
from lve.extensions.doctor.finding import Finding
from lve.file_names import SETTINGS_FILE
from lve.options.run_options import OPTIONS, variables_of
from lve.pipeline.choosing.loading import choose_workspace
from lve.suggest import did_you_mean
from lve.workspace import Workspace, display_path

SETTINGS = "settings"
PREFIX = "LVE_"
OTHER_VARIABLES = frozenset(
    f"{PREFIX}{name}" for name in ("AUTHOR", "CACHE_HOME", "OUTPUT", "REPLAY", "STORE", "TRACEBACK")
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
