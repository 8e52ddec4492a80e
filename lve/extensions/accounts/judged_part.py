"""Which part of an answer a check judges, and why that part: step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from lve.checkers.answer_selection import ALL, TRANSCRIPT, View
from lve.checkers.binding.bound import BoundChecker
from lve.checkers.contract import CheckContext
from lve.checkers.extract.extractors import make_extractor
from lve.checkers.shape.answer_parts import shaped
from lve.errors import LveError
from lve.escape import excerpt

READING = frozenset({"choice", "in_range", "math", "number", "option", "text"})
"""Checks that look for what an answer settles on, as a careful reader does."""
SHOWN = 200
"""Characters of an answer that are shown."""
MAX_STATEMENTS = 4
"""Statements of an answer that are listed."""


def parts_judged(
    checker: BoundChecker, args: Mapping[str, Any], context: CheckContext
) -> list[str]:
    """Return how a check comes from a conversation to the text that it judges, a line per step.

    Args:
        checker: the check.
        args: its arguments as the test has them.
        context: the conversation and the row.
    """
    try:
        views = checker.selection.views(context) if checker.selection else [View("", context)]
    except LveError as error:
        return [f"nothing: {error}"]
    lines: list[str] = []
    for view in views:
        lines += _steps(checker, args, view)
    return lines


def _steps(checker: BoundChecker, args: Mapping[str, Any], view: View) -> Iterator[str]:
    on, extract = args.get("on"), args.get("extract")
    several = len(view.context.transcripts) > 1
    for run in view.context.transcripts:
        whose = f"{run.name or 'a run'}: " if several else ""
        text = run.response
        yield f"{whose}{_why_this(on, view.label)}: {excerpt(text, SHOWN)!r}"
        if extract is not None:
            for step in extract if isinstance(extract, list) else [extract]:
                text = make_extractor(step)(text)
                yield f"{whose}`extract: {_name(step)}` takes {excerpt(text, SHOWN)!r}"
        if checker.name in READING:
            yield from _read(text)


def _why_this(on: object, label: str) -> str:
    if on is None:
        return f"{label} (each is judged)" if label else "the last answer (no `on` names another)"
    if on == TRANSCRIPT:
        return "the whole conversation (`on: transcript`)"
    return f"{label or 'all answers together'} (`on: {ALL if on == ALL else on}`)"


def _name(step: object) -> str:
    return str(step.get("type")) if isinstance(step, Mapping) else str(step)


def _read(text: str) -> Iterator[str]:
    """Yield what an answer says, as checks read it, the part with the most authority first."""
    shape = shaped(text)
    if shape.is_cut:
        yield "its reasoning was cut off, so there is no answer in it"
        return
    if shape.body.strip() != text.strip():
        yield f"without reasoning, introduction and marks: {excerpt(shape.body, SHOWN)!r}"
    by_text = {each.text.strip(): each for each in reversed(shape.statements) if each.text.strip()}
    for number, statement in enumerate(islice(reversed(by_text.values()), MAX_STATEMENTS)):
        why = "" if statement.counts else " (taken back, denied or quoted: it doesn't count)"
        first = "it looks first" if number == 0 else "then"
        yield f"{first} {statement.place}: {excerpt(statement.text.strip(), SHOWN)!r}{why}"
