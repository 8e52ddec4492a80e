"""Tests whose prompt is a prompt object (`prompt_object`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from lve.data.row_places import place_of_row
from lve.data_classes import dataclass
from lve.errors import Problem, PromptError, PromptObjectError, SpecError
from lve.extensions.ragas.fields import from_file
from lve.extensions.ragas.saved_prompt import Prompt, read_prompt
from lve.messages import Message, Role
from lve.prompts.answers.answer_format import JsonAnswer
from lve.prompts.answers.object_file import file_of_test, problem_of, read_object, read_schema
from lve.prompts.conversation import Conversation
from lve.prompts.plan import Dialect
from lve.settings.model_settings import ModelSettings
from lve.spec.spec import Instance, Spec

OUTPUT_TYPES = ("json", "str")


@dataclass(frozen=True, slots=True)
class PromptObjectPlan:
    """A prompt object that is filled with the parameters of each instance."""

    spec: Spec
    prompt: Prompt
    answer: JsonAnswer | None
    """The format of the answer; None if it needn't be JSON."""
    warnings: Sequence[Problem] = ()
    asks_for: ClassVar[None] = None
    rows: ClassVar[None] = None

    def preview(self, instance: Instance) -> Sequence[Conversation]:
        """Return the one conversation: the filled prompt and an open turn.

        Raises:
            PromptError: an input key has no value.
        """
        values = {key: _value(instance, key) for key in self.prompt.input_keys}
        question = self.prompt.format(**values).to_messages()
        answer = Message(role=Role.assistant, variable=self.prompt.output_key)
        return [Conversation((*question, answer), answer=self.answer)]


class PromptObjects(Dialect):
    """The dialect of tests with a `prompt_object`."""

    def build_plan(
        self, spec: Spec, model: ModelSettings | None = None, *, trace: bool = False
    ) -> PromptObjectPlan:
        """Read and check a test's prompt object.

        Raises:
            SpecError: the prompt object, the output schema or the parameters are invalid; has all
                problems.
        """
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

    def with_files(self, spec: Spec) -> Spec:
        """Return a test with the content of its saved prompt object in place of the file's name.

        A prompt that can't be used stays a name: building the plan reports it, with the file.
        """
        if not isinstance(spec.prompt_object, str):
            return spec
        try:
            content = read_object(file_of_test(spec, spec.prompt_object), spec.folder)
            Prompt(**from_file(content))
        except PromptObjectError:
            return spec
        return replace(spec, prompt_object=content)

    def answer_format(self, spec: Spec) -> JsonAnswer | None:
        return self.build_plan(spec).answer

    def hashes(self, spec: Spec) -> Mapping[str, str]:
        """Return the sum of the prompt object, whether it is in the document or in a file."""
        try:
            return {"prompt_object": self.build_plan(spec).prompt.content_hash}
        except SpecError:  # The test is reported as invalid anyway.
            return {}


DIALECT = PromptObjects()


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
        own_problems = (problem_of(spec, problem, "$.prompt_object") for problem in error.problems)
        problems.extend(own_problems)
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


def _value(instance: Instance, key: str) -> object:
    value = instance.parameters.get(key, instance.args.get(key))
    if value is None:
        place = place_of_row(instance.source, instance.line)
        raise PromptError(f"{place}: no value for the input key {key!r}", code="missing_value")
    return value
