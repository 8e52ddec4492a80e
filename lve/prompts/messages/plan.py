"""Tests whose prompts are lists of messages (`prompt`, `prompt_file`, `multi_run_prompt`).

`build_message_plan` reads and checks everything once; filling an instance is then cheap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from lve.documents.schema import in_file_order
from lve.errors import Problem, PromptError, SpecError
from lve.messages import Message, Part, Role
from lve.model_arg_names import KNOWN_MODEL_ARGS
from lve.prompts.addresses import KINDS, address_of
from lve.prompts.ask import Ask
from lve.prompts.conversation import RESPONSE, Conversation, Plan
from lve.prompts.fill import fill, placeholders
from lve.prompts.messages.checks import Parameters, check_prompt, filled_texts
from lve.prompts.messages.prompt_file import PromptText, read_prompt_text
from lve.prompts.size import (
    MAX_CHARACTERS,
    MAX_RUNS,
    MAX_TOGETHER,
    Room,
    message_size,
    too_long,
)
from lve.spec.model import Instance, Spec
from lve.workspace import display_path

APPENDED = Message(role=Role.assistant, variable=RESPONSE)


@dataclass(frozen=True, slots=True)
class PreparedPrompt:
    """A prompt that has been read and checked."""

    written: tuple[Message, ...]
    """As in the file."""
    messages: tuple[Message, ...]
    """With the open turn that was appended, where there was none at the end."""
    to_fill: tuple[int, ...]
    """Indexes of the messages that parameters change; the others are shared by all instances."""
    name: str | None
    repetitions: int
    size: int = 0
    """Characters of the messages that all instances share."""

    def filled(self, parameters: Mapping[str, Any]) -> Conversation:
        """Return the conversation of an instance.

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        messages, size = list(self.messages), self.size
        for index in self.to_fill:
            messages[index] = message = fill_message(messages[index], parameters)
            size += message_size(message)
            if size > MAX_CHARACTERS:
                raise too_long(MAX_CHARACTERS)
        return Conversation(tuple(messages), self.name)


@dataclass(frozen=True, slots=True)
class MessagePlan:
    """A `Plan` over prepared prompts."""

    spec: Spec
    prompts: tuple[PreparedPrompt, ...]
    """In the order of the document; repetitions are not written out."""
    warnings: tuple[Problem, ...] = ()
    asks_for: ClassVar[None] = None

    async def conversations(self, instance: Instance, ask: Ask | None) -> tuple[Conversation, ...]:
        """Return one conversation per run; no model is asked."""
        return self.preview(instance)

    def preview(self, instance: Instance) -> tuple[Conversation, ...]:
        """Return one conversation per run, in order (repetitions written out).

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        if len(self.prompts) == 1 and self.prompts[0].repetitions == 1:
            return (self.prompts[0].filled(instance.parameters),)
        runs: list[Conversation] = []
        room = Room(MAX_TOGETHER)
        for prompt in self.prompts:
            conversation = prompt.filled(instance.parameters)
            room.take(prompt.repetitions * sum(map(message_size, conversation.messages)))
            runs += [conversation] * prompt.repetitions
        return tuple(runs)


def build_message_plan(spec: Spec) -> MessagePlan:
    """Read and check all prompts of a test.

    Raises:
        SpecError: with everything that is wrong in them.
    """
    problems: list[Problem] = []
    parameters = _parameters(spec)
    _check_runs(spec)
    prompts = list(_read_all(spec, problems))
    for prompt in prompts:
        problems += in_file_order(check_prompt(prompt, parameters))
    if any(problem.severity == "error" for problem in problems):
        raise SpecError(problems)
    prepared = tuple(map(_prepare, prompts))
    return MessagePlan(spec, prepared, tuple(problems))


def _parameters(spec: Spec) -> Parameters:
    """Return the names that fill a test's prompts: without `prompt_parameters`, the columns of its
    data set."""
    if spec.dataset is None or spec.parameters:
        return Parameters(spec.parameters)
    from lve.data.columns import first_columns  # only tests with a data set pay for it

    columns = first_columns(spec)
    names = None if columns is None else tuple(sorted(columns - KNOWN_MODEL_ARGS))
    return Parameters(names, are_columns=True)


def _check_runs(spec: Spec) -> None:
    runs = sum(source.repetitions for source in spec.prompts)
    if runs > MAX_RUNS:
        message = f"the prompts and their repetitions are {runs:,} runs, at most {MAX_RUNS:,} go"
        raise SpecError([_problem(spec, message)])


def _read_all(spec: Spec, problems: list[Problem]) -> Iterator[PromptText]:
    """Yield the prompts of a test, with their files read; collect the problems of the others."""
    room = Room(MAX_TOGETHER)
    for source in spec.prompts:
        try:
            prompt = read_prompt_text(source, spec.folder)
            room.take(sum(map(message_size, prompt.messages)))
        except SpecError as error:
            problems += error.problems
            continue
        except PromptError as error:
            problems.append(_problem(spec, str(error)))
            return
        yield prompt


def _problem(spec: Spec, message: str) -> Problem:
    key = "multi_run_prompt" if spec.is_multi_run else "prompt"
    return Problem(message, display_path(spec.file), path=f"$.{key}")


def _prepare(prompt: PromptText) -> PreparedPrompt:
    written = prompt.messages
    messages = written if written[-1].is_open else (*written, APPENDED)
    to_fill = [i for i, message in enumerate(messages) if _has_placeholders(message)]
    varying = set(to_fill)
    prepared = [m if i in varying else fill_message(m, {}) for i, m in enumerate(messages)]
    return PreparedPrompt(
        written,
        tuple(prepared),
        tuple(to_fill),
        prompt.source.name,
        prompt.source.repetitions,
        sum(message_size(m) for i, m in enumerate(prepared) if i not in varying),
    )


def _has_placeholders(message: Message) -> bool:
    if message.role is Role.assistant:
        return False
    return any(placeholders(text) for _, text in filled_texts(message))


def fill_message(message: Message, parameters: Mapping[str, Any]) -> Message:
    """Return a message with the parameters' values in its content and image_url. Assistant
    messages are answers, not templates: they stay as they are.

    Raises:
        PromptError: a parameter is missing or can't be formatted.
    """
    if message.role is Role.assistant:
        return message
    content = message.content
    if isinstance(content, str):
        content = fill(content, parameters)
    elif content is not None:
        content = tuple(_fill_part(part, parameters) for part in content)
    image_url = message.image_url
    if image_url is not None:
        image_url = fill(image_url, parameters)
    # `variable` names an answer and means nothing here; the original implementation drops it too.
    return Message(content, message.role, None, image_url)


def _fill_part(part: Part, parameters: Mapping[str, Any]) -> Part:
    filled = dict(part)
    if isinstance(part.get("text"), str):
        filled["text"] = fill(part["text"], parameters)
    for kind in KINDS:
        url, holder = address_of(part, kind), part.get(kind)
        if url is not None:
            text = fill(url, parameters)
            filled[kind] = {**holder, "url": text} if isinstance(holder, Mapping) else text
    return filled


def prompts_of(plan: Plan) -> tuple[PreparedPrompt, ...]:
    """Return the prompts as written; empty for dialects without messages in the document."""
    return plan.prompts if isinstance(plan, MessagePlan) else ()
