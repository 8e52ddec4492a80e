"""Parses the arguments of a checker, and whole checks, as a user types them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from lve.checkers.arguments import ArgumentError, argument_errors, type_hints_of
from lve.checkers.binding.find_kind import plugin_kind
from lve.checkers.by_name import load_builtin
from lve.documents.position_types import TextError
from lve.documents.yaml_text import parse_yaml
from lve.json_types import JsonValue

_PLACEHOLDER = re.compile(r"\{\w+\}")


def typed_value(checker: str, argument: str, text: str) -> object:
    """Return the value of an argument: a string as typed, any other value parsed as YAML. A list of
    strings may also be typed as `a, b`.

    Args:
        checker: the name of an existing checker.
        argument: the name of one of its arguments.
        text: the text that the user typed.

    Raises:
        ArgumentError: the argument doesn't accept this value.
    """
    kind = load_builtin(checker) or plugin_kind(checker)
    assert kind is not None
    refused: ArgumentError | None = None
    for value in _readings(text, type_hints_of(kind)[argument]):
        errors = argument_errors(kind, {argument: value})
        error = next((problem for problem in errors if problem.argument == argument), None)
        if error is None:
            return value
        refused = refused or error
    assert refused is not None
    raise refused


def _readings(text: str, hint: object) -> Iterator[object]:
    """Yield the possible values of a text, the likeliest first."""
    if hint is str or _PLACEHOLDER.fullmatch(text.strip()):
        yield text
        return
    with suppress(TextError):
        yield parse_yaml(text)
    yield [part.strip() for part in text.split(",")]
    yield text


def parsed_check(text: str) -> dict[str, JsonValue]:
    """Parse a whole check, such as `contains: Paris` or `{contains: Paris}`.

    Raises:
        ValueError: the text isn't YAML, or not an object.
    """
    try:
        value = parse_yaml(text)
    except TextError as error:
        raise ValueError(f"not YAML: {error.findings[0].message}") from None
    if not isinstance(value, dict):
        raise ValueError("must be the name of a check and its value, such as `contains: Paris`")
    return value
