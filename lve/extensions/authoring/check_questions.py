"""Asks for the check of a new test and for the check's arguments, which its fields declare, and
parses them as a user types them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from lve.checkers.arguments import ArgumentError, argument_errors, type_hints_of
from lve.checkers.binding.find_kind import plugin_kind
from lve.checkers.by_name import load_builtin
from lve.checkers.describe import NAMES, Argument, Description, describe
from lve.cli.ask import ask, note
from lve.documents.position_types import TextError
from lve.documents.yaml_text import parse_yaml
from lve.errors import UsageError
from lve.escape import clip
from lve.extensions.authoring.checker_text import check_text
from lve.json_types import JsonValue
from lve.suggest import did_you_mean

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


COMMON = (
    *("text", "contains", "not_contains", "equals", "number", "option", "choice", "refusal"),
    *("regex", "not_regex", "json", "json_schema", "max_words", "judge"),
)
"""Checks that are listed first; the answer `?` lists all."""
WIDTH = 80
ALL = "?"
Try = Callable[[dict[str, Any]], None]
"""Raises UsageError or ValueError if a check is invalid for the test."""


def ask_check(try_out: Try) -> dict[str, object]:
    """Ask for a check until one is valid for the test; return it in the short form."""
    note("What must an answer be?")
    _list(COMMON)
    while True:
        check = _ask_once()
        try:
            try_out(check)
        except (UsageError, ValueError) as error:
            note(f"Error: {error}")
        else:
            return check


def _ask_once() -> dict[str, object]:
    checker = _ask_checker()
    note(f"  {checker.summary}")
    if checker.examples:
        note(f"  Example: check: {clip(check_text(checker.examples[0].check), WIDTH - 18)}")
    args = {
        argument.name: _ask_value(checker, argument)
        for argument in checker.arguments
        if argument.default is ...
    }
    args |= _ask_more(checker)
    return args if checker.is_check else {checker.name: args}


def _ask_checker() -> Description:
    def read(text: str) -> Description | None:
        name = text.strip()
        if name == ALL:
            return None
        if name.isdigit() and 1 <= int(name) <= len(COMMON):
            name = COMMON[int(name) - 1]
        checker = describe(name)
        if checker is None:
            hint = did_you_mean(name, NAMES) or f"a number or a name; {ALL} lists all"
            raise ValueError(f"there is no check {name!r} ({hint})")
        return checker

    while True:
        checker = ask(f"Check (number or name; {ALL} lists all)", read)
        if checker is not None:
            return checker
        _list(NAMES)


def _ask_value(checker: Description, argument: Argument) -> object:
    def read(text: str) -> Any:
        try:
            return typed_value(checker.name, argument.name, text)
        except ArgumentError as error:
            raise ValueError(f"{error}" + (f" ({error.hint})" if error.hint else "")) from None

    note(f"  {argument.name}: {argument.kind}. {argument.description}")
    return ask(argument.name, read)


def _ask_more(checker: Description) -> dict[str, object]:
    """Ask for optional arguments."""
    optional = {
        argument.name: argument for argument in checker.arguments if argument.default is not ...
    }
    args: dict[str, object] = {}

    def read(text: str) -> Argument | None:
        if not text.strip():
            return None
        if text.strip() not in optional:
            raise ValueError(f"it is one of {', '.join(optional)}")
        return optional[text.strip()]

    while optional:
        names = ", ".join(optional)
        argument = ask(f"Another argument: {names} (Enter: none)", read, default="")
        if argument is None:
            break
        args[argument.name] = _ask_value(checker, argument)
        del optional[argument.name]
    return args


def _list(names: tuple[str, ...]) -> None:
    numbers = {name: f"{number:2}" for number, name in enumerate(COMMON, 1)}
    for name in names:
        checker = describe(name)
        summary = checker.summary if checker is not None else ""
        note(clip(f"  {numbers.get(name, '  ')} {name:14} {summary}", WIDTH))
