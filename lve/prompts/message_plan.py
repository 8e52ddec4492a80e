"""Tests whose prompts are lists of messages (`prompt`, `prompt_file`, `multi_run_prompt`).

`build_message_plan` reads and checks everything once; filling an instance is then cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lve.errors import Problem, SpecError
from lve.messages import Message, Part, Role
from lve.prompts.conversation import RESPONSE, Conversation
from lve.prompts.fill import fill, placeholders
from lve.prompts.message_checks import check_prompt, filled_texts, image_of
from lve.prompts.prompt_text import PromptText, read_prompt_text
from lve.spec.model import Instance, PromptSource, Spec
from lve.spec.schema import in_file_order

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

    def filled(self, parameters: Mapping[str, Any]) -> Conversation:
        """Return the conversation of an instance.

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        messages = list(self.messages)
        for index in self.to_fill:
            messages[index] = fill_message(messages[index], parameters)
        return Conversation(tuple(messages), self.name)


@dataclass(frozen=True, slots=True)
class MessagePlan:
    """A `Plan` over prepared prompts."""

    spec: Spec
    prompts: tuple[PreparedPrompt, ...]
    """As in the document: repetitions are not written out."""
    warnings: tuple[Problem, ...] = ()

    def conversations(self, instance: Instance) -> tuple[Conversation, ...]:
        """Return one conversation per run, in order (repetitions written out).

        Raises:
            PromptError: a parameter is missing or can't be formatted.
        """
        runs: tuple[Conversation, ...] = ()
        for prompt in self.prompts:
            runs += (prompt.filled(instance.parameters),) * prompt.repetitions
        return runs


def build_message_plan(spec: Spec) -> MessagePlan:
    """Read and check all prompts of a test.

    Raises:
        SpecError: with everything that is wrong in them.
    """
    problems: list[Problem] = []
    # Without `prompt_parameters`, the columns of a data set are the parameters: known row by row.
    declared = None if spec.dataset is not None and not spec.parameters else spec.parameters
    prompts = [_read(source, problems) for source in spec.prompts]
    for prompt in prompts:
        if prompt is not None:
            problems += in_file_order(list(check_prompt(prompt, declared)))
    if any(problem.severity == "error" for problem in problems):
        raise SpecError(problems)
    prepared = tuple(_prepare(prompt) for prompt in prompts if prompt is not None)
    return MessagePlan(spec, prepared, tuple(problems))


def _read(source: PromptSource, problems: list[Problem]) -> PromptText | None:
    try:
        return read_prompt_text(source)
    except SpecError as error:
        problems += error.problems
        return None


def _prepare(prompt: PromptText) -> PreparedPrompt:
    written = prompt.messages
    messages = written if written[-1].is_open else (*written, APPENDED)
    prepared = [m if _has_placeholders(m) else fill_message(m, {}) for m in messages]
    return PreparedPrompt(
        written,
        tuple(prepared),
        tuple(i for i, message in enumerate(messages) if _has_placeholders(message)),
        prompt.source.name,
        prompt.source.repetitions,
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
    url = image_of(part)
    if url is not None:
        image = part["image_url"]
        text = fill(url, parameters)
        filled["image_url"] = {**image, "url": text} if isinstance(image, Mapping) else text
    return filled
