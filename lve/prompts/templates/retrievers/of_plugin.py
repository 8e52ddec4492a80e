"""Retrievers of other packages. Whatever they do wrong is an error of the test, and names them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

from lve.errors import LveError, PluginError, TemplateError, TemplateStage
from lve.plugins import CRASHES, Plugin, find_plugin
from lve.prompts.size import MAX_EXAMPLES
from lve.prompts.templates.dialogue import Cells
from lve.prompts.templates.retrievers.long_work import LongSelect, Select
from lve.prompts.templates.retrievers.retriever import Examples, ModelChoice, Retriever


@dataclass(frozen=True)
class PluginType:
    """The class of a plugin's retriever."""

    plugin: Plugin
    kind: type[Retriever]

    def guarded(self, made: Retriever) -> Retriever:
        """Return a retriever of this class, whose failures name the plugin."""
        texts = {"ice_separator": made.ice_separator, "ice_eos_token": made.ice_eos_token}
        return PluginRetriever(plugin=self.plugin, inner=made, **texts)


def plugin_type(name: str, plugins: Collection[str]) -> PluginType | None:
    """Return the class of a plugin's retriever; None if there is none of that name.

    Args:
        name: as the test document has it.
        plugins: names of plugins that the test may use.

    Raises:
        TemplateError: the test may not use it, or it can't be loaded; stage `retriever`.
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
            base = f"{Retriever.__module__}.Retriever"
            raise plugin.problem(f"is no dataclass derived from {base}")
    except PluginError as error:
        raise TemplateError(str(error), stage="retriever") from None
    return PluginType(plugin, kind)


@dataclass(frozen=True, kw_only=True)
class PluginRetriever(Retriever):
    """Chooses examples as a plugin's retriever does."""

    plugin: Plugin
    inner: Retriever

    def prepare(self, examples: Examples) -> Select | ModelChoice:
        """Return what chooses; errors as of `Retriever.prepare`."""
        choice = self._asked("retriever", lambda: self.inner.prepare(examples))
        if isinstance(choice, ModelChoice):
            return choice
        if not callable(choice):
            raise self._wrong("retriever", f"prepared {type(choice).__name__}, no function")
        count = len(examples.train)
        long = choice if isinstance(choice, LongSelect) else None
        select: Select = long.select if long else choice

        def guarded(position: int, row: Cells) -> list[int]:
            return self._chosen(self._asked("retrieve", lambda: select(position, row)), count)

        return replace(long, select=guarded) if long else guarded

    def _chosen(self, given: Any, count: int) -> list[int]:
        """Return the positions of examples, if they are that."""
        is_list = isinstance(given, list | tuple) and len(given) <= MAX_EXAMPLES
        if is_list and all(type(one) is int and 0 <= one < count for one in given):
            return list(given)
        said = f"chose {given!r:.60}, not a list of positions from 0 to {count - 1}"
        raise self._wrong("retrieve", said)

    def _asked(self, stage: TemplateStage, do: Callable[[], Any]) -> Any:
        try:
            return do()
        except LveError:
            raise
        except CRASHES as error:  # the border: it is foreign code
            raise TemplateError(str(self.plugin.failure("failed", error)), stage=stage) from None

    def _wrong(self, stage: TemplateStage, said: str) -> TemplateError:
        return TemplateError(str(self.plugin.problem(said)), stage=stage)
