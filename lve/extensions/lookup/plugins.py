"""`lve plugins`: lists the plugins of installed packages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import click

from lve.checkers.describe import NAMES
from lve.cli.printing import View
from lve.cli.shared_options import shows
from lve.extension_table import PLUGINS, extension_part
from lve.json_types import JsonValue
from lve.models.known_models import known_servers
from lve.models.registry import PROVIDERS
from lve.pipeline.choosing.loading import choose_workspace
from lve.plugins import GROUPS, Plugin, all_plugins
from lve.reporting import REPORTERS

TAKEN = "not used: lve itself has this name"
SEVERAL = "not used: several packages have this name"


@click.command()
@shows
def plugins() -> View:
    """List installed plugins: models, checkers, reporters and so on.

    Loads none of them. lve uses a model, reporter or importer when you name it. Tests may use a
    plugin if the settings name it (`plugins: [NAME]`).

    \b
    lve plugins
    lve run TEST --model acme/NAME
    """
    allowed = choose_workspace(()).settings.plugins
    entries = list(_entries(allowed))
    return View(lambda: {"plugins": entries}, map(_line, entries))


def _line(entry: Mapping[str, Any]) -> str:
    parts = (entry["kind"], entry["name"], entry["package"], entry["version"])
    notes = [*(["tests may use it"] if entry["for_tests"] else []), entry["unused"]]
    return " · ".join(filter(None, (*parts, *notes)))


def _entries(allowed: Collection[str]) -> Iterator[dict[str, JsonValue]]:
    registered = all_plugins()
    alike = Counter((plugin.kind, plugin.name) for plugin in registered)
    own_names = _names_of_lve()
    for plugin in registered:
        unused = None
        if not plugin.is_own and plugin.name in own_names[plugin.kind]:
            unused = TAKEN
        elif alike[plugin.kind, plugin.name] > 1:
            unused = SEVERAL
        yield {
            "name": plugin.name,
            "kind": plugin.kind,
            "package": plugin.distribution,
            "version": plugin.version,
            "entry_point": plugin.target,
            "for_tests": _is_for_tests(plugin, allowed) and unused is None,
            "unused": unused,
        }


def _is_for_tests(plugin: Plugin, allowed: Collection[str]) -> bool:
    is_for_users = plugin.kind in ("reporter", "importer")
    return not is_for_users and (plugin.is_own or plugin.name in allowed)


def _names_of_lve() -> dict[str, frozenset[str]]:
    """Return the names that plugins can't have, by kind."""
    own = {kind: [name for of, name in PLUGINS if of == kind] for kind in GROUPS}
    return {
        "model": frozenset((*PROVIDERS, *known_servers(), *own["model"])),
        "checker": frozenset(NAMES),
        "retriever": frozenset(extension_part("retrievers")),
        "reporter": frozenset(REPORTERS),
        "importer": frozenset(own["importer"]),
    }
