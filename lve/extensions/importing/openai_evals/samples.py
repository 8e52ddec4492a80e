"""Turns samples into prompts and rows: what is the same in all of them is text of the prompt, what
differs is a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lve.data_classes import dataclass, field
from lve.extensions.importing.openai_evals.registry import NoCounterpartError
from lve.json_types import JsonObject, JsonValue
from lve.named_tuples import NamedTuple
from lve.prompts.fill_texts import as_literal

ROLES = {"system", "user", "assistant"}
EXAMPLES = {"example_user": "user", "example_assistant": "assistant"}
"""Names of the messages of examples -> the roles that they have in lve."""
MAX_SHAPES = 50
"""Maximum number of tests that an eval becomes."""


class Turn(NamedTuple):
    """A message of a sample."""

    role: str
    content: str


class Sample(NamedTuple):
    """A sample that can be imported."""

    turns: Sequence[Turn]
    """Its messages, with those of the examples."""
    columns: JsonObject
    """Its further columns."""
    written: JsonObject
    """As its file has it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Samples whose messages have the same roles, and the same texts of the assistant."""

    samples: list[Sample] = field(default_factory=list)

    def prompt_and_rows(self) -> tuple[list[dict[str, str]], list[dict[str, JsonValue]]]:
        """Return the prompt, and a row for each sample."""
        rows = [dict(sample.columns) for sample in self.samples]
        prompt: list[dict[str, str]] = []
        varying = [index for index, texts in enumerate(self._texts()) if len(set(texts)) > 1]
        if not varying and len(self.samples[0].turns) == 1:
            varying = [0]  # the question, even of a single sample
        taken = {name for row in rows for name in row}
        for index, texts in enumerate(self._texts()):
            role = self.samples[0].turns[index].role
            text = texts[0]
            if index in varying:
                name = _free(_column(index, varying), taken)
                for row, content in zip(rows, texts, strict=True):
                    row[name] = content
                text = f"{{{name}}}"
            elif role != "assistant":  # sent unchanged, as it is
                text = as_literal(text)
            prompt.append({role: text})
        return prompt, rows

    def _texts(self) -> Iterator[list[str]]:
        """Yield the texts of all samples, message by message."""
        for index in range(len(self.samples[0].turns)):
            yield [sample.turns[index].content for sample in self.samples]


def shapes(samples: Iterable[Sample]) -> list[Shape]:
    """Return samples by their shape.

    Raises:
        NoCounterpartError: there are more than `MAX_SHAPES`.
    """
    groups: dict[object, Shape] = {}
    for sample in samples:
        key = tuple(turn if turn.role == "assistant" else turn.role for turn in sample.turns)
        groups.setdefault(key, Shape()).samples.append(sample)
        if len(groups) > MAX_SHAPES:
            raise NoCounterpartError(
                f"its conversations have more than {MAX_SHAPES} shapes: in lve, what the assistant "
                "has said is text of the prompt"
            )
    return list(groups.values())


def turns_of(value: object) -> list[Turn]:
    """Return the messages of a sample's `input`. A text is one of the system, as in the package.

    Raises:
        NoCounterpartError: it has other messages than texts of system, user and assistant.
    """
    if isinstance(value, str):
        return [Turn("system", value)]
    if not isinstance(value, list) or not value:
        raise NoCounterpartError("its input is neither a text nor a list of messages")
    return [_turn(message) for message in value]


def _turn(message: object) -> Turn:
    if not isinstance(message, dict):
        raise NoCounterpartError("a message is no object")
    role, content = message.get("role"), message.get("content")
    role = EXAMPLES.get(str(message.get("name")), role)
    if role not in ROLES or not isinstance(content, str):
        raise NoCounterpartError("a message isn't a text of system, user or assistant")
    return Turn(str(role), content)


def has_names(value: object) -> bool:
    """Return whether messages have names, which lve doesn't send."""
    messages = value if isinstance(value, list) else []
    return any(isinstance(message, dict) and "name" in message for message in messages)


def _column(index: int, varying: Sequence[int]) -> str:
    return "question" if index == varying[-1] else f"message_{index + 1}"


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name = f"{name}_"
    taken.add(name)
    return name
