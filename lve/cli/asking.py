"""`lve render --embed`: the one way in which rendering sends something."""

from __future__ import annotations

import asyncio
from types import TracebackType

from lve.cli.talk import tell
from lve.pipeline.answers import Answerer
from lve.pipeline.engine import Engine
from lve.pipeline.options import RunOptions
from lve.prompts.wanted import AnswersWanted
from lve.workspace import Workspace


class Asker:
    """Asks models for what choosing examples takes, with the cache of `lve run`."""

    def __init__(self, workspace: Workspace) -> None:
        """Args:
        workspace: whose settings hold.
        """
        # Connections belong to a loop, so there is one for all questions.
        self._loop = asyncio.new_event_loop()
        self._engine = Engine(workspace, RunOptions(), warn=tell)
        self._answerer = Answerer(self._engine)

    def supply(self, wanted: AnswersWanted) -> None:
        """Ask, and wait.

        Raises:
            TemplateError: the answers can't be had.
        """
        self._loop.run_until_complete(self._answerer.supply(wanted))

    def __enter__(self) -> Asker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.run_until_complete(self._engine.close())
        self._loop.close()
