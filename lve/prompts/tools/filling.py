"""Fills placeholders in JSON values: the results of mocks, and the arguments that they expect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lve.prompts.fill import Placeholder, parse_template


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
