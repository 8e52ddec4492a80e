"""OpenCompass' `RawPromptTemplate`: chat messages that are sent to the model unchanged."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lve.data_classes import dataclass
from lve.errors import TemplateError, TemplateStage
from lve.extensions.opencompass.dialogue import Cells, PromptBody, fill_columns
from lve.json_types import json_type
from lve.prompts.size import CharacterBudget, max_filled_characters

ROLES = ("system", "user", "assistant")


class RawMessages(list[Any]):
    """Chat messages `{role, content}`, as opposed to a dialogue list."""


@dataclass(frozen=True)
class RawPromptTemplate:
    """Messages `{role, content}`, columns that hold messages (`{expand_column: NAME}`), and the
    `ice_token`."""

    messages: Any
    format_variables: bool = True
    ice_token: str | None = "</E>"

    def __post_init__(self) -> None:
        if not isinstance(self.messages, list):
            raise TemplateError(
                f"`messages` must be a list, not {json_type(self.messages)}", stage="template"
            )
        for n, message in enumerate(self.messages):
            _check_message(message, n)

    @property
    def expanded(self) -> list[str]:
        """Names of the columns whose messages are inserted."""
        objects = (message for message in self.messages if isinstance(message, Mapping))
        return [message["expand_column"] for message in objects if "expand_column" in message]

    @property
    def is_dialogue(self) -> bool:
        """True: examples are messages, so nothing separates them."""
        return True

    @property
    def labels(self) -> list[object] | None:
        """None: there are no labels."""
        return None

    def example(self, row: Cells, label: object) -> PromptBody:
        """Return one example, without the `ice_token`."""
        return self._limited(self._written(row, (), stage="ice"), row, stage="ice")

    def prompt(
        self, row: Cells, ice: PromptBody, *, output: str | None, replacement: str
    ) -> PromptBody:
        """Return the messages. The output column is not masked, as in upstream."""
        examples = ice if isinstance(ice, list) else ()
        return self._limited(self._written(row, examples, stage="prompt"), row, stage="prompt")

    def label_prompt(self, row: Cells, ice: PromptBody, label: object) -> PromptBody:
        """Raise TemplateError: neither lve nor upstream scores labels with raw messages."""
        raise TemplateError("RawPromptTemplate can't make a prompt per label", stage="prompt")

    def _limited(
        self, messages: Iterator[object], row: Cells, *, stage: TemplateStage
    ) -> RawMessages:
        return RawMessages(CharacterBudget(max_filled_characters(row), stage).counted(messages))

    def _written(
        self, row: Cells, examples: Sequence[object], *, stage: TemplateStage
    ) -> Iterator[Any]:
        for message in self.messages:
            if not isinstance(message, str):
                yield from self._messages(message, row, stage=stage)
            elif message == self.ice_token:
                yield from examples

    def _messages(
        self, message: Mapping[str, Any], row: Cells, *, stage: TemplateStage
    ) -> Iterable[Any]:
        if "expand_column" in message:
            history = row.get(message["expand_column"])
            return map(copy.deepcopy, history) if isinstance(history, list) else ()
        if self.format_variables and isinstance(message.get("content"), str):
            return [{**message, "content": fill_columns(message["content"], row, stage=stage)}]
        return [copy.deepcopy(dict(message))]


def _check_message(message: object, n: int) -> None:
    if isinstance(message, str):
        return
    if not isinstance(message, Mapping):
        raise TemplateError(
            f"messages[{n}] must be an object or a text, not {json_type(message)}", stage="template"
        )
    if "expand_column" in message:
        return
    missing = [key for key in ("role", "content") if key not in message]
    if missing:
        raise TemplateError(f"messages[{n}] lacks `{missing[0]}`", stage="template")
    if message["role"] not in ROLES:
        raise TemplateError(
            f"messages[{n}] has the role {message['role']!r}; use one of {', '.join(ROLES)}",
            stage="template",
        )
