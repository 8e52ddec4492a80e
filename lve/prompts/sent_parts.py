"""Names the parts of what was sent that differ, where only their sums are recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import Any
from urllib.parse import quote, unquote

from lve.documents.json_lines import canonical_json
from lve.escape import excerpt
from lve.json_types import JsonValue
from lve.named_tuples import NamedTuple

MOST_MESSAGES = 100
"""Messages of a run that have a sum of their own; the others have one together."""
DIGITS = 8
"""Of a part's sum: it only names what differs. The whole hash decides."""
_REST = "rest"
_RESULTS = "results"
_SINGLE: Mapping[str, str] = {
    _REST: f"a message after the first {MOST_MESSAGES}",
    "servers": "the list of tool servers",
    "user": "what the simulated user is told",
    "schema": "the output schema",
}
"""Part that stands once -> its name in messages."""
_NAMED: Mapping[str, str] = {"tool": "the tool {!r}"}
_SHOWN = 60


class _Parts(NamedTuple):
    """The parts of one run."""

    messages: Sequence[tuple[str, str]]
    """Role and sum of each message."""
    others: Mapping[str, str]
    """Part -> its sum."""


def with_parts(whole: str, content: Mapping[str, object]) -> str:
    """Return the hash of what a run sends, followed by the sums of its parts.

    Args:
        whole: the hash.
        content: what is sent: `messages`, each with `role`; `tools` by name; others.
    """
    return " ".join([whole, *(f"{name}={digits}" for name, digits in _sums(content))])


def whole_of(sent: str) -> str:
    """Return the hash of what a run sends, without the sums of its parts."""
    return sent.partition(" ")[0]


def with_results(sent: str, results: str | None) -> str:
    """Return the hash of what a run sends with the sum of accepted results of calls; None: the
    results that were recorded are today's, too."""
    return sent if results is None else f"{sent} {_RESULTS}={results}"


def results_of(sent: str) -> str | None:
    """Return the sum of accepted results in the hash of a run; None if it has none."""
    parts = (part.rpartition("=") for part in sent.split(" ")[1:])
    return next((digits for name, _, digits in parts if name == _RESULTS), None)


def results_sum(results: Sequence[str | None]) -> str:
    """Return the sum of the results of a run's calls; it decides, so it is a long one."""
    text = canonical_json(list(results)).encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()


def changed_parts(before: str, now: str, *, is_message_known: bool = False) -> str:
    """Return which parts differ, in words; empty if none is known to.

    Args:
        before: the recorded hash with its parts.
        now: that of today.
        is_message_known: whether the message that differs is left out.
    """
    old, new = _parts(before), _parts(now)
    if not old.messages and not old.others:
        return ""
    texts = [] if is_message_known else [*_message_texts(old.messages, new.messages)]
    for name in dict.fromkeys((*old.others, *new.others)):
        sums = old.others.get(name), new.others.get(name)
        if sums[0] != sums[1]:
            word = "is new" if sums[0] is None else "is gone" if sums[1] is None else "differs"
            texts.append(_in_words(name, word))
    return "; ".join(texts)


def _sums(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    messages = content["messages"]
    for message in messages[:MOST_MESSAGES]:
        body = {name: value for name, value in message.items() if name != "role"}
        yield f"message:{message['role']}", _sum(body)
    if len(messages) > MOST_MESSAGES:
        yield _REST, _sum(messages[MOST_MESSAGES:])
    for tool in content.get("tools", ()):
        yield f"tool:{quote(tool[0], safe='')}", _sum(tool)
    for name in ("servers", "user", "schema"):
        if content.get(name):
            yield name, _sum(content[name])


def _sum(value: JsonValue) -> str:
    text = canonical_json(value).encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:DIGITS]


def _parts(sent: str) -> _Parts:
    messages, others = [], {}
    for part in sent.split(" ")[1:]:
        name, _, digits = part.rpartition("=")
        kind, _, of = name.partition(":")
        if kind == "message":
            messages.append((of, digits))
        elif name in _SINGLE or kind in _NAMED:
            others[name] = digits
    return _Parts(messages, others)


def _message_texts(
    before: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """Yield what is known of the first message that differs."""
    for number, (old, new) in enumerate(zip_longest(before, now), 1):
        if old == new:
            continue
        if old is None or new is None:
            yield f"message {number} ({(old or new)[0]}) is {'gone' if old else 'new'}"
        elif old[1] == new[1]:
            yield f"message {number} has the role {new[0]} now and had {old[0]}"
        else:
            yield f"message {number} ({new[0]}) differs"
        return


def _in_words(name: str, word: str) -> str:
    if name in _SINGLE:
        return f"{_SINGLE[name]} {word}"
    kind, _, of = name.partition(":")
    return f"{_NAMED[kind].format(excerpt(unquote(of), _SHOWN))} {word}"
