"""Binds the answers of a run to what was sent, and refuses replayed ones that are for another
prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lve.prompts.plan import Conversation, Plan
from lve.prompts.sent import SentPrompts, is_bound, stale_text
from lve.redaction import Redactor
from lve.results.records import InstanceResult
from lve.settings.model_settings import ModelSettings
from lve.spec.model import Instance


class BoundAnswers:
    """The answers of one test that are replayed or recorded."""

    def __init__(
        self, plan: Plan, model: ModelSettings | None, redact: Redactor, *, is_replay: bool
    ) -> None:
        """Args:
        plan: of the test.
        model: the settings of the model that `plan` was built for.
        redact: removes secrets from what messages show.
        is_replay: whether the answers are replayed; otherwise they are recorded.

        Raises:
            SpecError: as `build_plan`.
        """
        self._prompts = SentPrompts(plan, model=model, redact=redact)
        self._spec = plan.spec
        self._is_replay = is_replay

    def why_stale(self, instance: Instance, conversations: Sequence[Conversation]) -> str | None:
        """Return why a replayed answer isn't for the prompt; None if it may be.

        Raises:
            PromptError: a prompt can't be filled.
        """
        change = self._prompts.change(instance, conversations) if self._is_replay else None
        return None if change is None else stale_text(self._spec, change)

    def bind(
        self, result: InstanceResult, instance: Instance, conversations: Sequence[Conversation]
    ) -> InstanceResult:
        """Return a result that says what was sent, or that its replayed answer doesn't say it.

        Args:
            result: the result.
            instance: what was run.
            conversations: what was sent.

        Raises:
            PromptError: a prompt can't be filled.
        """
        if not self._is_replay:
            return replace(result, sent=self._prompts.hashes(instance, conversations))
        recorded = instance.recorded
        return replace(result, unbound=recorded is not None and not is_bound(recorded, self._spec))
