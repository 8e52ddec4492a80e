"""Binds the answers of a run to what was sent, refuses replayed ones that are for another prompt,
and counts each row's against the repeats that a test asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from lve.checkers.questions import Answer, Answering, Question
from lve.data.row_places import place_of_row
from lve.errors import Problem, Severity, UnavailableError, UsageError
from lve.models.error_kinds import NOT_RECORDED
from lve.plurals import amount_of
from lve.prompts.plan import Conversation, Plan
from lve.prompts.sent_prompts import SentPrompts, is_bound, stale_text
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.checker_answers import answers_of_recording
from lve.settings.model_settings import ModelSettings
from lve.spec.recorded_row import args_key
from lve.spec.spec import Instance, Spec
from lve.verdicts.coverage import NotRecorded
from lve.workspace import display_path

Item = TypeVar("Item")


class BoundAnswers:
    """The answers of one test that are replayed or recorded."""

    def __init__(self, plan: Plan, model: ModelSettings | None, *, is_replay: bool) -> None:
        """Args:
        plan: of the test.
        model: the settings of the model that `plan` was built for.
        is_replay: whether the answers are replayed; otherwise they are recorded.

        Raises:
            SpecError: as `build_plan`.
        """
        self._prompts = SentPrompts(plan, model=model)
        self._spec = plan.spec
        self._is_replay = is_replay

    def why_stale(self, instance: Instance, conversations: Sequence[Conversation]) -> str | None:
        """Return why a replayed answer isn't for the prompt; None if it may be.

        Raises:
            PromptError: a prompt can't be filled.
        """
        change = self._prompts.change(instance, conversations) if self._is_replay else None
        return None if change is None else stale_text(self._spec, instance.recorded, change)

    def replayable(
        self, items: Iterable[Item], missing: NotRecorded, *, reads: int, counts: bool = True
    ) -> Iterator[Item]:
        """Yield what can run: in a replay, the instances that have a recorded answer.

        Args:
            items: instances, and what else stands between them.
            missing: counts those without a recorded answer, and the repeats that others lack.
            reads: how many results each recorded answer gives.
            counts: whether to count; not again for further repeats.

        Raises:
            UnavailableError: it is a replay, and none of the instances has a recorded answer.
        """
        missing.folder = str(display_path(self._spec.folder))
        has_any = not self._is_replay
        is_left_out = False
        repeats, answers = self._spec.repeats, RecordedRepeats(self._spec)
        for item in items:
            if self._is_replay and isinstance(item, Instance):
                if item.recorded is None:
                    is_left_out = True
                    if counts:
                        place = f"{self._spec.path}/{place_of_row(item.source, item.line)}"
                        missing.add(place, repeats * reads)
                    continue
                if counts and repeats > 1:
                    answers.add(item)
            has_any = True
            yield item
        missing.repeats += answers.missing * reads
        if is_left_out and not has_any:
            record = f"`lve record {missing.folder} --model MODEL`"
            raise UnavailableError(
                f"no answer is recorded: {record} asks a model and keeps its answers",
                code="not_recorded",
            )

    def asked(self, instance: Instance) -> Iterator[Answer]:
        """Return what judges and embedders answered when a replayed answer was recorded."""
        recorded = instance.recorded if self._is_replay else None
        return answers_of_recording(recorded.asked if recorded else ())

    def bind(
        self, result: InstanceResult, instance: Instance, conversations: Sequence[Conversation]
    ) -> InstanceResult:
        """Return a result that says what was sent, or, of a replayed answer, which model gave it
        and whether it says what it is for.

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
        if recorded is None:
            return result
        unbound = not is_bound(recorded, self._spec)
        return replace(result, unbound=unbound, answered_by=recorded.model or "")


class ReplayedRoles:
    """The `Answering` of replayed answers: asks models only what isn't recorded, and needs none for
    the rest."""

    def __init__(self, asks: Answering, roles: Collection[str]) -> None:
        """Args:
        asks: asks the models that have roles.
        roles: the roles that have models.
        """
        self._asks = asks
        self._roles = roles

    async def answer(self, question: Question) -> Answer:
        """Return the answer; its `problem` is set if nobody can be asked. Errors as
        `Answering.answer`."""
        why = f"there is no model for the role `{question.role}`"
        if question.role in self._roles:
            try:
                return await self._asks.answer(question)
            except UsageError as error:  # its key is missing, say
                why = str(error)
        problem = f"no answer to its question is recorded (`lve record` keeps it), and {why}"
        kind = NOT_RECORDED
        return Answer(
            question.key, question.role, "", problem=problem, problem_kind=kind, recorded=True
        )


class RecordedRepeats:
    """The recorded answers of one test: how many each row has, of the model that gave most."""

    def __init__(self, spec: Spec) -> None:
        """Args:
        spec: the test.
        """
        self._spec = spec
        self._answers: dict[str, Counter[str | None]] = {}

    def add(self, item: object) -> None:
        """Count an instance, if it has a recorded answer; ignore anything else."""
        if isinstance(item, Instance) and item.recorded is not None:
            models = self._answers.setdefault(args_key(item.args), Counter())
            models[item.recorded.model] += 1

    def add_all(self, items: Iterable[object]) -> RecordedRepeats:
        """Count several; return itself."""
        for item in items:
            self.add(item)
        return self

    @property
    def missing(self) -> int:
        """How many answers the rows lack that have at least one."""
        counts = (max(models.values()) for models in self._answers.values())
        return sum(max(self._spec.repeats - count, 0) for count in counts)

    def problem(self, severity: Severity) -> Problem | None:
        """Return that rows have fewer recorded answers than the test has `repeats`; None if none
        has, or nothing is recorded at all."""
        repeats = self._spec.repeats
        counts = [min(max(models.values()), repeats) for models in self._answers.values()]
        few = sum(count < repeats for count in counts)
        if not few:
            return None
        total = repeats * len(counts)
        message = (
            f"{amount_of(sum(counts), total, 'repeat', 'is')} recorded: "
            f"{amount_of(few, len(counts), 'row', 'has')} fewer answers than `repeats: {repeats}`"
        )
        hint = f"`lve record {display_path(self._spec.folder)}` asks a model and keeps its answers"
        file = display_path(self._spec.file)
        return Problem(message, file, hint=hint, severity=severity, code="not_recorded")
