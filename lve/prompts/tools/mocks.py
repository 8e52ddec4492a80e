"""Mocks: scripted results of tools, filled with an instance's parameters and matched to calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from lve.documents.json_lines import plain
from lve.errors import CheckerError
from lve.messages import ToolCall
from lve.named_tuples import NamedTuple
from lve.prompts.answers.answer_format import mismatch
from lve.prompts.answers.schema_meter import Meter
from lve.prompts.fill import Placeholder, parse_template
from lve.prompts.size import CharacterBudget
from lve.prompts.tools.calls import arguments_of, has_values, is_equal
from lve.spec.tools import Mock


def placeholders_of(value: object) -> tuple[Placeholder, ...]:
    """Return the placeholders in all texts of a value.

    Raises:
        PlaceholderError: a text isn't a valid template.
    """
    return tuple(
        placeholder for text in _texts(value) for placeholder in parse_template(text).placeholders()
    )


def has_braces(value: object) -> bool:
    """Whether a text in a value has placeholders or escaped braces."""
    return any("{" in text or "}" in text for text in _texts(value))


def size_of_texts(value: object) -> int:
    """Return the number of characters of all texts in a value."""
    return sum(map(len, _texts(value)))


def filled_value(value: object, parameters: Mapping[str, object]) -> Any:
    """Return a value with the parameters inserted into its texts; tuples become lists.

    A text that is a single placeholder, such as `{city}`, becomes the parameter's value, of
    whatever type.

    Raises:
        PromptError: a parameter is missing or can't be formatted.
    """
    if isinstance(value, str):
        return _filled_text(value, parameters)
    if isinstance(value, Mapping):
        return {key: filled_value(inner, parameters) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [filled_value(inner, parameters) for inner in value]
    return value


def _filled_text(text: str, parameters: Mapping[str, object]) -> object:
    parsed = parse_template(text)
    only = parsed.segments[0] if len(parsed.segments) == 1 else None
    if isinstance(only, Placeholder) and only.spec is None and only.conversion is None:
        return only.lookup(parameters)
    return parsed.fill(parameters)


def _texts(value: object) -> Iterator[str]:
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, Mapping):
            waiting += inner.values()
        elif isinstance(inner, list | tuple):
            waiting += inner


MAX_STEPS = 20_000
"""Steps (`Meter`) for validating all calls of a conversation with `args_schema`: about 0.2 s."""


class ToolAnswer(NamedTuple):
    """The result of a tool call that a model receives."""

    text: str
    delay_s: float = 0.0
    problem: str | None = None
    """Why no mock matched, for the test's author."""


class MockSession:
    """The mocks of one conversation. Counts the calls that each has answered (`times`)."""

    def __init__(self, mocks: Mapping[str, tuple[Mock, ...]]) -> None:
        self._mocks = mocks
        self._used: Counter[tuple[str, int]] = Counter()
        self._meter = Meter(MAX_STEPS, pattern_s=0.2)

    def answer(self, call: ToolCall) -> ToolAnswer:
        """Return the result of the first mock that matches a call, or an error."""
        arguments = arguments_of(call.arguments)
        if arguments is None:
            return error_of("the arguments are no JSON object")
        for index, mock in enumerate(self._mocks.get(call.name, ())):
            if mock.times is not None and self._used[call.name, index] >= mock.times:
                continue
            if self._matches(mock, arguments):
                self._used[call.name, index] += 1
                text = _error_text(mock.result) if mock.is_error else result_text(mock.result)
                return ToolAnswer(text, mock.delay_s)
        why = f"no mock of {call.name} answers {call.arguments}"
        return error_of(f"{call.name} has no result for these arguments", problem=why)

    def _matches(self, mock: Mock, arguments: Mapping[str, object]) -> bool:
        if not (is_equal if mock.exact else has_values)(arguments, mock.args):
            return False
        if mock.args_schema is None:
            return True
        try:
            return mismatch(mock.args_schema, arguments, self._meter) is None
        except CheckerError:  # Validating them takes too long.
            return False


def error_of(message: str, *, problem: str | None = None) -> ToolAnswer:
    """Return the result of a failed call."""
    return ToolAnswer(_error_text(message), problem=problem)


def _error_text(message: object) -> str:
    return f"Error: {message}"


NO_MORE_CALLS = error_of("no more calls are answered").text
"""The result of a call after the last turn whose calls are answered."""


def result_text(value: object) -> str:
    """Return a result as text: a text unchanged, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)


def mock_placeholders(mock: Mock) -> Iterator[Placeholder]:
    """Yield the placeholders of a mock.

    Raises:
        PlaceholderError: a text isn't a valid template.
    """
    yield from placeholders_of((mock.args, mock.result))


def needs_filling(mock: Mock) -> bool:
    """Whether a mock has placeholders or escaped braces."""
    return has_braces((mock.args, mock.result))


def filled_mock(mock: Mock, parameters: Mapping[str, object], budget: CharacterBudget) -> Mock:
    """Return a mock with the parameters inserted; its texts count against `budget`.

    Raises:
        PromptError: a parameter is missing or can't be formatted, or the texts get too long.
    """
    args, result = filled_value((mock.args, mock.result), parameters)
    budget.take(size_of_texts((args, result)))
    return mock._replace(args=args, result=result)
