"""Finds plugins: models, checkers, retrievers, reporters and importers of installed packages.

Plugins are entry points. lve's own names always come first, so that a package can't replace them.
Installed packages are searched only for a name that lve doesn't have, and a plugin is imported only
when it is used.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lve.errors import LveError, PluginError
from lve.escape import excerpt, one_line
from lve.extension_table import PLUGINS
from lve.named_tuples import NamedTuple
from lve.version import __version__

if TYPE_CHECKING:
    from importlib.metadata import Distribution

GROUPS: Mapping[str, str] = {
    "model": "lve.models",
    "checker": "lve.checkers",
    "retriever": "lve.retrievers",
    "reporter": "lve.reporters",
    "importer": "lve.importers",
}
"""Kind of a plugin -> its group of entry points."""
OWN = "lve"
"""Name of lve's own distribution."""
MAX_NAME = 100
"""Maximum length of a plugin's name, in characters."""
CRASHES = (Exception, SystemExit)
"""Exceptions of failing plugin code. A plugin that calls `sys.exit` must not end a run."""
_TARGET = r"\w+(\.\w+)*:\w+(\.\w+)*"
_NAME = rf"[A-Za-z0-9_][A-Za-z0-9_.-]{{0,{MAX_NAME - 1}}}"


class Plugin(NamedTuple):
    """An entry point of an installed package."""

    kind: str
    name: str
    target: str
    """`module:attribute`."""
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"the {self.kind} plugin {self.name!r} of {self.origin}"

    @property
    def origin(self) -> str:
        """Name and version of the package that provides it."""
        return f"{self.distribution} {self.version}"

    @property
    def is_own(self) -> bool:
        """Whether it is part of lve."""
        return self.distribution == OWN

    def load(self) -> Any:
        """Import the plugin and return the object that its entry point names.

        Raises:
            PluginError: the import failed; the message names the package to repair.
        """
        from importlib.metadata import EntryPoint

        if not re.fullmatch(_TARGET, self.target):
            raise self.problem(f"has {excerpt(self.target)!r} for `module:attribute`")
        with self.guarded("can't be loaded"):
            return EntryPoint(self.name, self.target, GROUPS[self.kind]).load()

    @contextmanager
    def guarded(self, what: str) -> Iterator[None]:
        """Context manager around a call of the plugin's code: turns its exceptions into
        `PluginError`, and sends what it prints to stderr, because stdout is for results.

        Args:
            what: the message of a failure, after the plugin's name: `can't be loaded`.

        Raises:
            PluginError: the code raised an exception or called `sys.exit`.
            LveError: the code raised it.
        """
        try:
            with redirect_stdout(sys.stderr):
                yield
        except LveError:
            raise
        except CRASHES as error:
            raise self.failure(what, error) from None

    def failure(self, what: str, error: BaseException) -> PluginError:
        """Return an error that reports an exception of the plugin; `what` is as in `guarded`."""
        why = one_line(f"{type(error).__name__}: {error}")
        return self.problem(f"{what}: {why}")

    def problem(self, what: str) -> PluginError:
        """Return an error with the plugin's name, `what` is wrong, and how to repair it."""
        if self.is_own:
            return PluginError(f"{self} {what}")
        return PluginError(
            f"{self} {what}; repair it (pip install --upgrade {self.distribution}), or remove it "
            f"(pip uninstall {self.distribution})"
        )


def find_plugin(kind: str, name: str) -> Plugin | None:
    """Return the plugin of a kind and name, not yet loaded; None if there is none.

    Raises:
        PluginError: several packages provide one of that name.
    """
    target = PLUGINS.get((kind, name))
    if target is not None:
        return Plugin(kind, name, target, OWN, _own_version())
    matches = [plugin for plugin in all_plugins() if (plugin.kind, plugin.name) == (kind, name)]
    if len(matches) > 1:
        origins = " and ".join(plugin.origin for plugin in matches)
        raise PluginError(
            f"{origins} both provide a {kind} plugin {name!r}: uninstall all of them but one"
        )
    return matches[0] if matches else None


def all_plugins() -> tuple[Plugin, ...]:
    """Return all installed plugins, lve's own first, then sorted by kind and name. Loads none."""
    return _found_on(tuple(sys.path))


def plugin_versions(names: Iterable[str]) -> dict[str, str]:
    """Return package -> version for the installed plugins with these names, except lve's own."""
    plugin_names = frozenset(names)
    if not plugin_names:
        return {}
    plugins = (
        plugin for plugin in all_plugins() if plugin.name in plugin_names and not plugin.is_own
    )
    return {plugin.distribution: plugin.version for plugin in plugins}


@lru_cache(maxsize=1)
def _found_on(_: tuple[str, ...]) -> tuple[Plugin, ...]:
    from importlib.metadata import distributions

    own = [Plugin(*key, target, OWN, _own_version()) for key, target in PLUGINS.items()]
    plugins, distribution_names = list[Plugin](), {OWN}
    for distribution in distributions():
        try:
            name = str(distribution.metadata["Name"])
            key = re.sub(r"[-_.]+", "-", name).lower()
            if key not in distribution_names:  # Python imports the first distribution of a name
                distribution_names.add(key)
                plugins += _plugins_of(distribution, name)
        except Exception:  # broken metadata of a package that may have nothing to do with lve
            continue
    return (*own, *sorted(plugins))


def _plugins_of(distribution: Distribution, name: str) -> Iterator[Plugin]:
    kinds = {group: kind for kind, group in GROUPS.items()}
    for point in distribution.entry_points:
        kind = kinds.get(point.group)
        if kind is not None and re.fullmatch(_NAME, point.name):
            yield Plugin(kind, point.name, point.value, name, str(distribution.version))


def _own_version() -> str:
    return __version__
