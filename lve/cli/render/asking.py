"""`lve render --embed`: asks models to choose examples."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType

from lve.cli.talk import tell
from lve.pipeline.engine import Engine
from lve.prompts.templates.plan import DatasetPlan
from lve.run_options import RunOptions
from lve.spec.model import Instance
from lve.workspace import Workspace


class Asker:
    """Asks models to choose examples, with the cache of `lve run`."""

    def __init__(self, workspace: Workspace) -> None:
        # Connections belong to a loop, so there is one for all questions.
        self._loop = asyncio.new_event_loop()
        self._engine = Engine(workspace, RunOptions(), warn=tell)

    def choose(self, plan: DatasetPlan, instance: Instance) -> Sequence[int]:
        """Ask models to choose an instance's examples; return their positions.

        Raises:
            TemplateError: they can't be chosen.
        """
        return self._loop.run_until_complete(plan.examples(instance, self._engine.example_models))

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
