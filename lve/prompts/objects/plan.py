"""Tests whose prompt is a prompt object (`prompt_object`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from lve.conventions import place_of_row
from lve.errors import Problem, PromptError, PromptObjectError, SpecError
from lve.messages import Message, Role
from lve.prompts.answers.answer_format import JsonAnswer
from lve.prompts.ask import Ask
from lve.prompts.conversation import Conversation
from lve.prompts.objects.fields import from_file
from lve.prompts.objects.output_schema import file_of_test, problem_of, read_schema
from lve.prompts.objects.prompt import Prompt, read_prompt
from lve.prompts.size import size_of
from lve.spec.model import Instance, Spec

OUTPUT_TYPES = ("json", "str")
MAX_CACHED_PLANS = 256
MAX_CACHED_CHARACTERS = 100_000
"""Longer prompts aren't cached but read again each time."""


@dataclass(frozen=True, slots=True)
class PromptObjectPlan:
    """A prompt object that is filled with the parameters of each instance."""

    spec: Spec
    prompt: Prompt
    answer: JsonAnswer | None
    """The format of the answer; None if it needn't be JSON."""
    warnings: Sequence[Problem] = ()
    asks_for: ClassVar[None] = None

    @property
    def content_hash(self) -> str:
        """SHA-256 of the prompt object; changes if and only if the prompt does."""
        return self.prompt.content_hash

    async def conversations(self, instance: Instance, ask: Ask | None) -> Sequence[Conversation]:
        """Return the one conversation; no model is asked."""
        return self.preview(instance)

    def preview(self, instance: Instance) -> Sequence[Conversation]:
        """Return the one conversation: the filled prompt and an open turn.

        Raises:
            PromptError: an input key has no value.
        """
        values = {key: _value(instance, key) for key in self.prompt.input_keys}
        question = self.prompt.format(**values).to_messages()
        answer = Message(role=Role.assistant, variable=self.prompt.output_key)
        return [Conversation((*question, answer), answer=self.answer)]


_plans: dict[int, PromptObjectPlan] = {}
"""`id` of a test -> its plan, which keeps the test alive, so that no other gets the same `id`."""


def build_prompt_object_plan(spec: Spec) -> PromptObjectPlan:
    """Read and check a test's prompt object. Plans are cached, because hash, prompts and judge of a
    test all need it.

    Raises:
        SpecError: the prompt object, the output schema or the parameters are invalid; has all
            problems.
    """
    plan = _plans.get(id(spec))
    if plan is None:
        plan = _build(spec)
        if size_of(plan.prompt.to_dict()) <= MAX_CACHED_CHARACTERS:
            if len(_plans) >= MAX_CACHED_PLANS:
                _plans.clear()
            _plans[id(spec)] = plan
    return plan


def _build(spec: Spec) -> PromptObjectPlan:
    problems: list[Problem] = []
    prompt = _read_prompt(spec, problems)
    schema = read_schema(spec, problems)
    if prompt is not None:
        problems += _prompt_problems(spec, prompt)
    if problems or prompt is None:
        raise SpecError(problems)
    warnings = tuple(_unused(spec, name) for name in prompt.unused)
    answer = JsonAnswer(schema, repair=spec.repair) if prompt.is_json else None
    return PromptObjectPlan(spec, prompt, answer, warnings)


def _unused(spec: Spec, name: str) -> Problem:
    problem = problem_of(spec, f"the prompt's field `{name}` has no effect", "$.prompt_object")
    late = name == "output_format_instruction"
    hint = "ragas knows it from 0.1.6 on: write another `version`" if late else None
    return replace(problem, hint=hint, severity="warning")


def _read_prompt(spec: Spec, problems: list[Problem]) -> Prompt | None:
    try:
        if isinstance(spec.prompt_object, Mapping):
            return Prompt(**from_file(spec.prompt_object))
        return read_prompt(file_of_test(spec, spec.prompt_object), spec.folder)
    except PromptObjectError as error:
        found = (problem_of(spec, problem, "$.prompt_object") for problem in error.problems)
        problems.extend(found)
        return None


def _prompt_problems(spec: Spec, prompt: Prompt) -> Iterator[Problem]:
    if prompt.output_type.lower() not in OUTPUT_TYPES:
        message = f"output_type must be json or str, not {prompt.output_type!r}"
        yield problem_of(spec, message, "$.prompt_object.output_type")
    if spec.output_schema is not None and not prompt.is_json:
        message = "output_schema needs a prompt object whose output_type is json"
        yield problem_of(spec, message, "$.output_schema")
    missing = [key for key in prompt.input_keys if key not in spec.parameters]
    if spec.parameters and missing:
        message = f"prompt_parameters lacks the prompt's input keys: {', '.join(missing)}"
        yield problem_of(spec, message, "$.prompt_parameters")


def _value(instance: Instance, key: str) -> Any:
    value = instance.parameters.get(key, instance.args.get(key))
    if value is None:
        place = place_of_row(instance.source, instance.line)
        raise PromptError(f"{place}: no value for the input key {key!r}", code="missing_value")
    return value
