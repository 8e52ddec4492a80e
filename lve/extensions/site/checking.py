"""Descriptions of a test's checkers and examples for its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from lve.checkers.describe import NAMES, Description, describe
from lve.extensions.site.texts import MAX_LISTED, Clipped, value_text
from lve.named_tuples import NamedTuple
from lve.spec.spec import CheckerConfig, Example, Spec


class ShownArgument(NamedTuple):
    """An argument of a test's checker."""

    name: str
    value: Clipped
    meaning: str
    """Its description; empty if unknown."""


class ShownChecker(NamedTuple):
    """One checker of a test."""

    name: str
    summary: str
    """Its description."""
    arguments: Sequence[ShownArgument]


class ShownAnswer(NamedTuple):
    """One text of an answer."""

    variable: str | None
    """Its variable, if the model filled several turns; else None."""
    text: Clipped


class ShownExample(NamedTuple):
    """An example: an answer that must pass or must fail."""

    passes: bool
    answers: Sequence[ShownAnswer]
    args: Sequence[tuple[str, Clipped]]


def shown_checkers(spec: Spec) -> list[ShownChecker]:
    """Return a test's checkers. This runs no code of plugins or tests."""
    return [_checker(checker) for checker in spec.checkers]


def shown_examples(spec: Spec) -> list[ShownExample]:
    """Return a test's examples, those that must pass first."""
    examples = [_example(example) for example in spec.examples[:MAX_LISTED]]
    return sorted(examples, key=lambda example: not example.passes)


def shown_answers(responses: Sequence[str | Mapping[str, str]]) -> list[ShownAnswer]:
    """Return the texts of an answer, in order of runs and turns."""
    answers = []
    for response in responses:
        if isinstance(response, str):
            answers.append(ShownAnswer(None, value_text(response)))
        else:
            answers += [ShownAnswer(name, value_text(text)) for name, text in response.items()]
    return answers


def shown_args(args: Mapping[str, object]) -> list[tuple[str, Clipped]]:
    """Return the args that aren't null."""
    pairs = [(name, value) for name, value in args.items() if value is not None]
    return [(name, value_text(value)) for name, value in pairs[:MAX_LISTED]]


@cache  # because reading the checker's source takes 20 ms
def _described(name: str) -> Description | None:
    return describe(name)


def _checker(checker: CheckerConfig) -> ShownChecker:
    description = _described(checker.name) if checker.name in NAMES else None
    meanings = (
        {argument.name: argument.description for argument in description.arguments}
        if description
        else {}
    )
    return ShownChecker(
        checker.name,
        description.summary
        if description
        else "A checker that doesn't ship with lve: the test's own code, or a plugin's.",
        [
            ShownArgument(name, value_text(value), meanings.get(name, ""))
            for name, value in [*checker.args.items()][:MAX_LISTED]
        ],
    )


def _example(example: Example) -> ShownExample:
    return ShownExample(
        example.verdict == "passed", shown_answers(example.responses), shown_args(example.args)
    )
