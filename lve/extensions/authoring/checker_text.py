"""The descriptions of checkers for `lve show checker`, as text and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from lve.checkers.describe import NAMES, Argument, Description, describe
from lve.cli.printing import View
from lve.errors import UsageError
from lve.escape import keyless
from lve.suggest import did_you_mean

WIDTH = 80
_NO_TEXTS = ("yes", "no", "true", "false", "null", "on", "off")
"""Words that are something else in YAML 1.1."""
_SHOWN = 3
"""Answers of an example that are shown."""
ON_TEXT = (
    "on: a variable, a list of variables, `all` or `transcript`, by default the last answer. Which"
    " answers it looks at (docs/multi-turn.md)."
)


def view_of_checkers(names: tuple[str, ...]) -> View:
    """Return what `lve show checker` shows.

    Raises:
        UsageError: there is no checker of that name, or a plugin can't be loaded.
    """
    checkers = described(names)
    return View(
        lambda: {"checkers": [checker_json(checker) for checker in checkers]},
        (line for checker in checkers for line in checker_lines(checker)),
    )


def described(names: tuple[str, ...]) -> list[Description]:
    """Return the descriptions of checkers.

    Raises:
        UsageError: there is no checker of that name, or a plugin can't be loaded.
    """
    descriptions = []
    for name in names:
        description = describe(name)
        if description is None:
            hint = did_you_mean(name, NAMES) or "`lve list checkers` lists them"
            raise UsageError(
                f"there is no checker '{name}', built in or of a plugin ({hint})",
                code="unknown_checker",
            )
        descriptions.append(description)
    return descriptions


def checker_lines(checker: Description) -> Iterator[str]:
    """Yield the lines of the description of a checker."""
    yield checker.name
    yield from _wrapped(checker.summary, "  ")
    if checker.details:
        yield from _wrapped(checker.details, "  ")
    yield f"  tier        {checker.tier}"
    for argument in checker.arguments:
        yield from _wrapped(_argument_text(argument), "  argument    ")
    if checker.takes_on:
        yield from _wrapped(ON_TEXT, "  argument    ")
    for example in checker.examples:
        yield from _wrapped(f"check: {check_text(example.check)}", "  example     ")
        for label, answers in (("passes", example.passes), ("fails", example.fails)):
            for answer in answers[:_SHOWN]:
                yield f"    {label:9} {json.dumps(answer, ensure_ascii=False)}"


def checker_json(checker: Description) -> dict[str, object]:
    """Return a checker as JSON."""
    return {
        "name": checker.name,
        "summary": checker.summary,
        "details": checker.details,
        "tier": checker.tier,
        "takes_on": checker.takes_on,
        "arguments": [
            {
                "name": part.name,
                "type": part.kind,
                "required": part.default is ...,
                "default": None if part.default is ... else part.default,
                "description": part.description,
            }
            for part in checker.arguments
        ],
        "examples": [
            {"check": part.check, "passes": list(part.passes), "fails": list(part.fails)}
            for part in checker.examples
        ],
    }


def check_text(value: object) -> str:
    """Return a check as YAML on one line, such as `{contains: Paris}`."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{key}: {check_text(argument)}" for key, argument in value.items())
            + "}"
        )
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(check_text, value)) + "]"
    is_words = (
        isinstance(value, str) and value == value.strip() and value.replace(" ", "").isalpha()
    )
    is_plain = is_words and str(value).lower() not in _NO_TEXTS
    return str(value) if is_plain else json.dumps(value, ensure_ascii=False)


def _argument_text(argument: Argument) -> str:
    is_required = argument.default is ...
    rest = "required" if is_required else f"default {check_text(argument.default)}"
    return f"{argument.name}: {argument.kind}, {rest}. {argument.description}"


def _wrapped(text: str, start: str) -> list[str]:
    return textwrap.wrap(
        keyless(text),
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_on_hyphens=False,
        break_long_words=False,
    )
