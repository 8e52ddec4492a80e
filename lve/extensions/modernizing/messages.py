"""Messages in the short form: `user: TEXT`, and a prompt that is one text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lve.extensions.modernizing.edits import (
    CannotEditError,
    Edit,
    Pair,
    Source,
    end,
    is_flow,
    items_of,
    named,
    pairs_of,
    start,
    text_of,
)

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
