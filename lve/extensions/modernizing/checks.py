"""Checks in the short form: `check: {contains: Paris}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lve.extensions.modernizing.edits import (
    CannotEditError,
    Edit,
    Pair,
    Source,
    applied,
    end,
    is_flow,
    items_of,
    named,
    pairs_of,
    start,
    text_of,
)

SHORT_KEYS = {"checker_args": "check", "checkers": "checks"}
_NAME, _SAFE = "checker_name", "match_safe"
_MATCHES = {
    "ExactMatchChecker": {"true": "contains", "false": "not_contains"},
    "RegexChecker": {"true": "regex", "false": "not_regex"},
}
"""Checker -> its `match_safe` -> the check with the same verdicts."""


def check_edits(source: Source, root: list[Pair], *, renames: bool) -> Iterator[list[Edit]]:
    """Yield the edits that write the test's checks in the short form.

    Args:
        source: the document.
        root: its pairs.
        renames: whether checkers that have a check with the same verdicts become that check.
    """
    for key, value in root:
        if text_of(key) not in SHORT_KEYS:
            continue
        edits = [source.renamed((key, value), SHORT_KEYS[key.value])]
        try:
            for checker in [value] if pairs_of(value) else items_of(value):
                edits += _short_check(source, checker, renames=renames)
        except CannotEditError:
            continue
        yield edits


def run_edits(source: Source, root: list[Pair]) -> Iterator[list[Edit]]:
    """Yield the edits of `repetition`, which is now `repetitions`."""
    for key, value in root:
        if text_of(key) == "multi_run_prompt":
            for run in [value, *items_of(value)]:
                for pair in pairs_of(run):
                    if text_of(pair[0]) == "repetition":
                        yield [source.renamed(pair, "repetitions")]


def _short_check(source: Source, checker: Any, *, renames: bool) -> list[Edit]:
    pairs = pairs_of(checker)
    names = named(pairs)
    name = text_of(pairs[names[_NAME]][1])
    if renames:
        if name in _MATCHES and "pattern" in names:
            default = "false" if name == "ExactMatchChecker" else ""
            safe = str(text_of(pairs[names[_SAFE]][1])) if _SAFE in names else default
            if (check := _MATCHES[name].get(safe.lower())) is not None:
                return _renamed(source, checker, "pattern", check, {_NAME, _SAFE})
        if name == "LambdaChecker" and "func" in names:
            return _renamed(source, checker, "func", "expression", {_NAME})
        if name == "RefuseChecker" and "wordings" not in names:
            key, value = pairs[names[_NAME]]
            return [source.cut(start(key), end(value), f"{source.key('refusal')}: true")]
    return _nested(source, checker, str(name))


def _renamed(source: Source, checker: Any, argument: str, check: str, gone: set[str]) -> list[Edit]:
    pairs = pairs_of(checker)
    names = named(pairs)
    indexes = {names[name] for name in gone if name in names}
    return [source.renamed(pairs[names[argument]], check), *source.without(checker, indexes)]


def _nested(source: Source, checker: Any, name: str) -> list[Edit]:
    """Return the edits of `{checker_name: NAME, ...}` to `{NAME: {...}}`."""
    pairs = pairs_of(checker)
    index = named(pairs)[_NAME]
    key, value = pairs[index]
    new_key = source.key(name)
    if len(pairs) == 1:
        return [source.cut(start(key), end(value), f"{new_key}: {{}}")]
    removed = source.without(checker, {index})
    if is_flow(checker):
        opened, closed = start(checker) + 1, end(checker) - 1
        return [*removed, Edit(opened, opened, f"{new_key}: {{"), Edit(closed, closed, "}")]
    begin, stop = start(checker), end(checker)
    shifted = [edit._replace(start=edit.start - begin, end=edit.end - begin) for edit in removed]
    inner = applied(source.text[begin:stop], shifted)
    column = checker.start_mark.column
    lines = re.sub(rf"\n(?= {{{column}}}[^\n])", "\n  ", inner)
    return [Edit(begin, stop, f"{new_key}:\n{' ' * (column + 2)}{lines}")]
