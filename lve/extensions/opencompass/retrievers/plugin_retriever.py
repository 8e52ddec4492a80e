"""Retrievers from plugins. Their failures become errors of the test that name the plugin."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import is_dataclass, replace
from typing import Any

from lve.data_classes import dataclass
from lve.errors import LveError, PluginError, TemplateError, TemplateStage
from lve.escape import head
from lve.extensions.opencompass.dialogue import Cells
from lve.extensions.opencompass.retrievers.retriever import Examples, ModelChoice, Retriever
from lve.extensions.opencompass.retrievers.slow_select import Select, SlowSelect
from lve.plugins import CRASHES, Plugin, find_plugin
from lve.prompts.size import MAX_EXAMPLES


@dataclass(frozen=True)
class PluginType:
    """The class of a plugin's retriever."""

    plugin: Plugin
    kind: type[Retriever]

    def guarded(self, retriever: Retriever) -> Retriever:
        """Wrap a retriever of this class so that its failures name the plugin."""
        texts = {"ice_separator": retriever.ice_separator, "ice_eos_token": retriever.ice_eos_token}
        return PluginRetriever(plugin=self.plugin, inner=retriever, **texts)


def plugin_type(name: str, plugins: Collection[str]) -> PluginType | None:
    """Return the class of a plugin's retriever; None if no plugin has one with this name.

    Args:
        name: from the test document.
        plugins: names of the plugins that the test may use.

    Raises:
        TemplateError: the test may not use the plugin, or it can't be loaded; stage `retriever`.
    """
    try:
        plugin = find_plugin("retriever", name)
        if plugin is None:
            return None
        if name not in plugins:
            hint = f"add `plugins: [{name}]` to lve.yaml to let tests use it"
            raise TemplateError(f"{plugin} has the retriever {name!r}: {hint}", stage="retriever")
        kind = plugin.load()
        if not (isinstance(kind, type) and issubclass(kind, Retriever) and is_dataclass(kind)):
            raise plugin.problem("is no dataclass derived from lve.Retriever")
    except PluginError as error:
        raise TemplateError(str(error), stage="retriever") from None
    return PluginType(plugin, kind)


@dataclass(frozen=True, kw_only=True)
class PluginRetriever(Retriever):
    """Calls a plugin's retriever and checks what it returns."""

    plugin: Plugin
    inner: Retriever

    def prepare(self, examples: Examples) -> Select | ModelChoice:
        choice = self._call("retriever", lambda: self.inner.prepare(examples))
        if isinstance(choice, ModelChoice):
            return choice
        if not callable(choice):
            raise self._problem("retriever", f"prepared {type(choice).__name__}, no function")
        count = len(examples.train)
        slow = choice if isinstance(choice, SlowSelect) else None
        select: Select = slow.select if slow else choice

        def guarded(position: int, row: Cells) -> list[int]:
            return self._checked(self._call("retrieve", lambda: select(position, row)), count)

        return replace(slow, select=guarded) if slow else guarded

    def _checked(self, positions: Any, count: int) -> list[int]:
        is_list = isinstance(positions, list | tuple) and len(positions) <= MAX_EXAMPLES
        if is_list and all(
            type(position) is int and 0 <= position < count for position in positions
        ):
            return list(positions)
        problem = (
            f"chose {head(repr(positions), 60)}, not a list of positions from 0 to {count - 1}"
        )
        raise self._problem("retrieve", problem)

    def _call(self, stage: TemplateStage, function: Callable[[], object]) -> Any:
        try:
            return function()
        except LveError:
            raise
        except CRASHES as error:  # Foreign code may raise anything.
            raise TemplateError(str(self.plugin.failure("failed", error)), stage=stage) from None

    def _problem(self, stage: TemplateStage, problem: str) -> TemplateError:
        return TemplateError(str(self.plugin.problem(problem)), stage=stage)
