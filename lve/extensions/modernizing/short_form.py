"""The short form of checks and messages: `check: {contains: Paris}`, `user: TEXT`."""

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


SHORT_ROLES = ("system", "user", "assistant")


def message_edits(source: Source, root: list[Pair]) -> Iterator[list[Edit]]:
    """Yield the edits of each message that can be shorter.

    Args:
        source: the document.
        root: its pairs.
    """
    for pair in _prompts(root):
        items = items_of(pair[1])
        try:
            if len(items) == 1 and (edits := _one_text(source, pair)):
                yield edits
                continue
        except CannotEditError:
            pass
        for item in items:
            try:
                yield _short_message(source, item)
            except CannotEditError:
                continue


def _prompts(root: list[Pair]) -> Iterator[Pair]:
    """Yield the pairs whose value is a list of messages."""
    for key, value in root:
        if text_of(key) == "prompt":
            yield key, value
        elif text_of(key) == "prompts":
            for pair in pairs_of(value):
                yield pair
                yield from (inner for inner in pairs_of(pair[1]) if text_of(inner[0]) == "prompt")
        elif text_of(key) == "multi_run_prompt":
            for run in [value, *items_of(value)]:
                yield from (inner for inner in pairs_of(run) if text_of(inner[0]) == "prompt")


def _short_message(source: Source, message: Any) -> list[Edit]:
    """Return the edits of `{role: user, content: TEXT, ...}` to `{user: TEXT, ...}`.

    Raises:
        CannotEditError: it has no text, or a role without a short form.
    """
    pairs = pairs_of(message)
    names = named(pairs)
    role = text_of(pairs[names["role"]][1]) if "role" in names else "user"
    content = pairs[names["content"]][1] if "content" in names else None
    if content is None or role not in SHORT_ROLES or _is_null(content):
        raise CannotEditError("no text")
    renamed = source.renamed(pairs[names["content"]], str(role))
    gone = {names["role"]} if "role" in names else set()
    return [renamed, *source.without(message, gone)]


def _one_text(source: Source, pair: Pair) -> list[Edit]:
    """Return the edits of a list of one user message that is only a text to that text; empty if it
    is anything else.

    Raises:
        CannotEditError: a comment would get lost.
    """
    key, messages = pair
    pairs = pairs_of(messages.value[0])
    names = named(pairs)
    if names.keys() - {"role", "content", "user"} or len(names.keys() - {"role"}) != 1:
        return []
    text = pairs[names.get("content", names.get("user", 0))][1]
    if text_of(text) is None or _is_null(text):
        return []
    if "role" in names and text_of(pairs[names["role"]][1]) != "user":
        return []
    whole = next((node for node in (messages, messages.value[0]) if is_flow(node)), None)
    edits = [source.cut(end(key), start(text), ": ")]
    if whole is not None:
        return [*edits, source.cut(end(text), end(whole))]
    after = [index for index in range(len(pairs)) if start(pairs[index][0]) > start(text)]
    return [*edits, *source.without(messages.value[0], after)]


def _is_null(node: Any) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:null")
