"""Compares the messages of a recorded prompt with those of today, up to the first answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from lve.documents.json_lines import canonical_json
from lve.escape import excerpt, head, tail
from lve.messages import Message, Part, Role, names_file
from lve.named_tuples import NamedTuple
from lve.prompts.word_diff import Piece, word_diff
from lve.spec.recorded_row import Recorded
from lve.spec.spec import Spec

SHOWN_CHANGES = 5
"""Pieces of a word diff that a message shows, from the first change on."""
SHOWN_CONTEXT = 30
"""Characters of unchanged text around a change."""
_SHOWN = 200
_MARKS = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}


class ShownMessage(NamedTuple):
    """A message as it is compared with a recorded one: line ends and blanks before them don't
    count."""

    role: str
    text: str


def recorded_runs(recorded: Recorded, spec: Spec) -> tuple[tuple[ShownMessage, ...], ...] | None:
    """Return the recorded messages before the first answer, per run; None if there are none.

    Those of a data set's templates may be in the words of a model's meta template, so they say
    nothing about the test.
    """
    if spec.infer_cfg is not None and not recorded.sent:
        return None
    runs = recorded_messages(recorded)
    return tuple(tuple(before_answer(run)) for run in runs) or None


def recorded_messages(recorded: Recorded) -> list[list[Message]]:
    """Return all recorded messages, per run; an empty list if there are none."""
    for value in (recorded.prompt_out, recorded.prompt):
        runs = value if _is_list(value) and value and _is_list(value[0]) else [value]
        messages = [list(_messages(run)) for run in runs]
        if all(messages):
            return messages
    return []


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _messages(run: Any) -> Iterator[Message]:
    """Yield the messages of a recorded run; none if it isn't a list of messages."""
    if not _is_list(run) or not all(
        isinstance(message, Mapping) and "content" in message for message in run
    ):
        return
    roles = {role.value: role for role in Role}
    for message in run:
        role = roles.get(str(message.get("role") or "user").lower(), Role.user)
        yield Message(message["content"], role, message.get("variable"), message.get("image_url"))


def before_answer(messages: Sequence[Message]) -> list[ShownMessage]:
    """Return the messages before the first that a model filled or has to fill."""
    texts = list[ShownMessage]()
    for message in messages:
        is_answer = message.role is Role.assistant and message.variable is not None
        if message.is_open or is_answer:
            return texts
        texts.append(shown_message(message))
    # LVE names no variable if there is only one answer, which is the last message.
    return texts[:-1] if messages[-1].role is Role.assistant else texts


def shown_message(message: Message) -> ShownMessage:
    """Return a message as it is compared."""
    return ShownMessage(message.role.value, _text(message))


def _text(message: Message) -> str:
    content = message.content
    parts = [content] if isinstance(content, str) else content or ()
    texts = [part if isinstance(part, str) else _part_text(part) for part in parts]
    if message.image_url:
        texts.append(f"(image {message.image_url})")
    texts += [f"(calls {call.as_text})" for call in message.tool_calls]
    lines = with_line_feeds("\n".join(texts)).split("\n")
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _part_text(part: object) -> str:
    if isinstance(part, Mapping):
        if part.get("type") == "text":
            return str(part.get("text", ""))
        part = part_content(part)
        if "sha256" in part:
            return f"({part['type']} with the sum {part['sha256']})"
    return canonical_json(part)


def with_line_feeds(text: str) -> str:
    """Return text with the same line ends on all systems: git may change those of files."""
    return text.replace("\r\n", "\n")


def difference(before: Sequence[ShownMessage], now: Sequence[ShownMessage]) -> str | None:
    """Return the first difference between two prompts, in one line; None if there is none."""
    for number, (old, new) in enumerate(zip_longest(before, now), 1):
        if old == new:
            continue
        if old is None or new is None:
            role, text = old or new
            return f"message {number} ({role}) is {'gone' if old else 'new'}: {_clipped(text)}"
        if old.text == new.text:
            return f"message {number} has the role {new.role} now and had {old.role}"
        return f"message {number} ({new.role}): {changed_words(old.text, new.text)}"
    return None


def later_difference(
    before: Sequence[ShownMessage], now: Sequence[ShownMessage | None]
) -> str | None:
    """Return the first difference between two dialogues of the same length, in one line; None if
    there is none.

    Args:
        before: the recorded messages.
        now: those of today; None where they depend on what the model says.
    """
    for number, (old, new) in enumerate(zip(before, now, strict=True), 1):
        if new is None or old == new:
            continue
        if old.role != new.role:
            return None  # the two don't stand beside each other
        return f"message {number} ({new.role}): {changed_words(old.text, new.text)}"
    return None


def changed_words(before: str, now: str) -> str:
    """Return the first changes of a text in one line: `Which [-city-]{+river+} is`."""
    pieces = word_diff(before, now)
    first = next(index for index, piece in enumerate(pieces) if piece.kind != "same")
    context = "".join(_marked(piece, is_start=True) for piece in pieces[first - 1 : first])
    end = first + SHOWN_CHANGES
    changes = "".join(_marked(piece) for piece in pieces[first:end])
    return f"{context}{changes}" + ("..." if len(pieces) > end else "")


def _marked(piece: Piece, *, is_start: bool = False) -> str:
    text = piece.text
    if piece.kind == "same" and len(text) > SHOWN_CONTEXT:
        text = f"...{tail(text, SHOWN_CONTEXT)}" if is_start else f"{head(text, SHOWN_CONTEXT)}..."
    return _MARKS[piece.kind].format(_clipped(text))


def _clipped(text: str) -> str:
    return excerpt(re.sub(r"\n+", " ", text), _SHOWN)


def part_content(part: Part) -> Part:
    """Return a part with the content of its file instead of its name."""
    if "sha256" in part and names_file(part):
        return {"type": part["type"], "sha256": part["sha256"]}
    return part
