"""Finds for `lve check` recorded answers whose prompt has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lve.data.problems import row_problem
from lve.errors import Problem
from lve.prompts.plan import Plan
from lve.settings.model_settings import ModelSettings
from lve.spec.spec import Instance

if TYPE_CHECKING:
    from lve.prompts.sent_prompts import SentPrompts


class StaleRows:
    """Finds the stale answers of one test."""

    def __init__(self, plan: Plan, model: ModelSettings | None) -> None:
        """Args:
        plan: of the test.
        model: the settings of the model that `plan` was built for.
        """
        self._plan = plan
        self._model = model
        self._prompts: SentPrompts | None = None

    def problems(self, instance: Instance) -> Iterator[Problem]:
        """Yield that the answer of an instance is for another prompt, if so.

        Raises:
            PromptError: the instance can't fill the prompts.
        """
        if instance.recorded is None:
            return
        # Late: not every test has recorded rows.
        from lve.prompts.sent_prompts import STALE, SentPrompts, how_to_renew

        if self._prompts is None:
            self._prompts = SentPrompts(self._plan, model=self._model)
        change = self._prompts.change(instance)
        if change is not None:
            spec, message = self._plan.spec, f"{STALE}: {change}"
            hint = how_to_renew(spec, instance.recorded)
            yield row_problem(spec, instance, message, hint=hint, code="stale_recording")
