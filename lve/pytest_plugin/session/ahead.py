"""Which items may be asked before their turn: those that surely run then.

An item that a mark or a hook of a `conftest.py` may skip is asked when it is its turn. Before, its
answer could be paid for nothing.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from lve.escape import escape_line
from lve.pytest_plugin.finding.closing import NOTES
from lve.pytest_plugin.lve_items import LveItem, Marked

DECIDING_HOOKS = ("pytest_runtest_setup", "pytest_runtest_protocol")
"""In which a plugin may skip an item when it is its turn."""


class Ahead:
    """Says of items whether they may be asked before their turn."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        plugins = (plugin for plugin, _ in config.pluginmanager.list_plugin_distinfo())
        self._installed = {"_pytest", "lve", *(_package(plugin) for plugin in plugins)}
        self._may_be_skipped = Marked(_may_skip)
        self._by_collector: dict[pytest.Collector | None, bool] = {}
        """Collector -> whether the hooks that hold there let its items run."""

    def surely_runs(self, item: LveItem) -> bool:
        """Whether nothing can skip an item when it is its turn."""
        if self._may_be_skipped(item):
            return False
        if item.parent not in self._by_collector:
            self._by_collector[item.parent] = not self._decides_later(item.ihook)
        return self._by_collector[item.parent]

    def _decides_later(self, hooks: Any) -> bool:
        """Whether a conftest.py or a plugin that isn't installed decides at an item's turn whether
        it runs."""
        for name in DECIDING_HOOKS:
            for found in getattr(hooks, name).get_hookimpls():
                if self._is_foreign(found.plugin):
                    self._tell(found.plugin, name)
                    return True
        return False

    def _is_foreign(self, plugin: Any) -> bool:
        is_conftest = _module(plugin).rpartition(".")[2] == "conftest"
        return is_conftest or _package(plugin) not in self._installed

    def _tell(self, plugin: Any, hook: str) -> None:
        place = escape_line(str(getattr(plugin, "__file__", None) or _module(plugin)))
        note = (
            f"lve: asked one after the other, because {place} may skip each when it is its turn "
            f"({hook}); a mark added in pytest_collection_modifyitems is known before"
        )
        self._config.stash.setdefault(NOTES, {})[note] = None


def _may_skip(mark: pytest.Mark) -> bool:
    """Whether a mark keeps its item from running, or may do so."""
    if mark.name == "skipif":
        conditions = [
            *mark.args,
            *([mark.kwargs["condition"]] if "condition" in mark.kwargs else ()),
        ]
        return any(condition is not False for condition in conditions or [True])
    return mark.name == "skip" or (mark.name == "xfail" and mark.kwargs.get("run") is False)


def _module(plugin: Any) -> str:
    return plugin.__name__ if isinstance(plugin, ModuleType) else type(plugin).__module__


def _package(plugin: Any) -> str:
    return _module(plugin).partition(".")[0]
