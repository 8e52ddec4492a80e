"""Decides which items may be sent to the model before pytest comes to them.

Only items that will certainly run are prefetched. An item that a mark or a hook of a `conftest.py`
may still skip waits for its turn, because its answer might be paid for in vain.
"""

from __future__ import annotations

from types import ModuleType

import pytest

from lve.escape import escape_line
from lve.pytest_plugin.finding.blocked_python import NOTES
from lve.pytest_plugin.item_protocol import LveItem, Marked

DECIDING_HOOKS = ("pytest_runtest_setup", "pytest_runtest_protocol")
"""Hooks in which a plugin can skip an item when its turn comes."""


class PrefetchPolicy:
    """Decides for each item whether it may be prefetched."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        plugins = (plugin for plugin, _ in config.pluginmanager.list_plugin_distinfo())
        self._installed = {"_pytest", "lve", *(_package(plugin) for plugin in plugins)}
        self._may_be_skipped = Marked(_may_skip)
        self._by_collector: dict[pytest.Collector | None, bool] = {}
        """A cache: collector -> whether no hook can skip its items."""

    def surely_runs(self, item: LveItem) -> bool:
        """Whether no mark and no hook can skip an item when its turn comes."""
        if self._may_be_skipped(item):
            return False
        if item.parent not in self._by_collector:
            self._by_collector[item.parent] = not self._may_hooks_skip(item.ihook)
        return self._by_collector[item.parent]

    def _may_hooks_skip(self, hooks: object) -> bool:
        """Whether a `conftest.py`, or a plugin that isn't an installed package, has a hook that may
        skip items."""
        for name in DECIDING_HOOKS:
            for hook in getattr(hooks, name).get_hookimpls():
                if self._is_foreign(hook.plugin):
                    self._note(hook.plugin, name)
                    return True
        return False

    def _is_foreign(self, plugin: object) -> bool:
        is_conftest = _module(plugin).rpartition(".")[2] == "conftest"
        return is_conftest or _package(plugin) not in self._installed

    def _note(self, plugin: object, hook: str) -> None:
        place = escape_line(str(getattr(plugin, "__file__", None) or _module(plugin)))
        note = (
            f"lve: tests ran one after the other, because {hook} in {place} may skip each of them; "
            "to run them concurrently, add marks in pytest_collection_modifyitems instead"
        )
        self._config.stash.setdefault(NOTES, {})[note] = None


def _may_skip(mark: pytest.Mark) -> bool:
    """Whether a mark skips its item, or may do so."""
    if mark.name == "skipif":
        conditions = [
            *mark.args,
            *([mark.kwargs["condition"]] if "condition" in mark.kwargs else ()),
        ]
        return any(condition is not False for condition in conditions or [True])
    return mark.name == "skip" or (mark.name == "xfail" and mark.kwargs.get("run") is False)


def _module(plugin: object) -> str:
    return plugin.__name__ if isinstance(plugin, ModuleType) else type(plugin).__module__


def _package(plugin: object) -> str:
    return _module(plugin).partition(".")[0]
