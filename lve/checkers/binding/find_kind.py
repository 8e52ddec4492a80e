"""Finds the class of a checker by name: one of lve's, or of a plugin that the settings name."""

from __future__ import annotations

from lve.checkers.builtin_checker import BuiltinChecker
from lve.checkers.by_name import load_builtin
from lve.errors import PluginError
from lve.plugins import Plugin, find_plugin
from lve.spec.spec import Spec


def find_kind(name: str, spec: Spec) -> type[BuiltinChecker] | None:
    """Return the class of the checker `name`; None if the test may use no checker of that name.

    Raises:
        PluginError: the checker's plugin can't be used.
    """
    kind = load_builtin(name)
    if kind is None and name in spec.plugins:
        return plugin_kind(name)
    return kind


def plugin_kind(name: str) -> type[BuiltinChecker] | None:
    """Return the class of a plugin's checker, whether or not the settings name the plugin; None
    if no plugin has it. Errors are those of `find_kind`."""
    plugin = find_plugin("checker", name)
    return None if plugin is None else _loaded(plugin)


def _loaded(plugin: Plugin) -> type[BuiltinChecker]:
    kind = plugin.load()
    if not (isinstance(kind, type) and issubclass(kind, BuiltinChecker)):
        raise plugin.problem("is no subclass of lve.BuiltinChecker")
    with plugin.guarded("has no name"):
        own_name = kind.shown_name()
    if own_name != plugin.name:
        raise plugin.problem(
            f"calls itself {own_name!r}: its class needs the name of its entry point"
        )
    return kind


def why_not_usable(name: str, spec: Spec) -> str | None:
    """Return a hint if a plugin has the checker but the settings don't name it; None otherwise."""
    try:
        plugin = find_plugin("checker", name)
    except PluginError as error:
        return str(error)
    if plugin is None or name in spec.plugins:
        return None
    return f"{plugin} has it: add `plugins: [{name}]` to lve.yaml to let tests use it"
