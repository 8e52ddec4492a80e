"""The prompts of a test for its page: messages with their parameters marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from lve.data.instances import iter_instances
from lve.errors import Problem, PromptError
from lve.extensions.site.texts import MAX_LABEL, Clipped, clipped
from lve.messages import Message, Role
from lve.named_tuples import NamedTuple
from lve.prompts.attachments import part_words
from lve.prompts.conversation import previewed
from lve.prompts.fill import Placeholder, parse_template
from lve.prompts.messages.plan import prompts_of
from lve.prompts.plan import Plan

MAX_MESSAGES = 100
"""The most messages of a prompt that are shown."""
MAX_PROMPTS = 20
LOOKED_AT = 100
"""How many rows are tried until one can be shown."""


class Piece(NamedTuple):
    """A part of a message's text."""

    text: str
    is_parameter: bool = False


class ShownMessage(NamedTuple):
    """One message."""

    role: str
    pieces: Sequence[Piece]
    left_out: int = 0
    """Number of characters that aren't shown."""
    answers: str | None = None
    """The answer's variable (may be empty), if this is an open turn; else None."""


class ShownPrompt(NamedTuple):
    """One prompt."""

    messages: Sequence[ShownMessage]
    name: str | None = None
    repetitions: int = 1
    left_out: int = 0
    """Number of messages that aren't shown."""
    row: str | None = None
    """The row that fills it; None if it is shown as written."""


def shown_prompts(plan: Plan) -> list[ShownPrompt]:
    """Return the prompts of a test as written. If a template makes them, return those of the first
    row that can be filled.

    Args:
        plan: the test's plan; nothing is sent.
    """
    written = prompts_of(plan)
    if written:
        return [
            _prompt(
                prompt.messages,
                name=f"variant {source.variant}" if source.variant else prompt.name,
                repetitions=prompt.repetitions,
            )
            for source, prompt in islice(zip(plan.spec.prompts, written, strict=True), MAX_PROMPTS)
        ]
    for row in islice(iter_instances(plan.spec), LOOKED_AT):
        if isinstance(row, Problem):
            continue
        try:
            runs = [previewed(preview) for preview in plan.preview(row)[:MAX_PROMPTS]]
        except PromptError:  # `lve check` says so; another row may do
            continue
        place = f"{row.source}, row {row.line}"
        return [_prompt(run.messages, name=run.name, row=place, filled=True) for run in runs]
    return []


def _prompt(
    messages: Sequence[Message],
    *,
    name: str | None,
    repetitions: int = 1,
    row: str | None = None,
    filled: bool = False,
) -> ShownPrompt:
    first = [_message(message, filled=filled) for message in messages[:MAX_MESSAGES]]
    return ShownPrompt(first, name, repetitions, max(len(messages) - MAX_MESSAGES, 0), row)


def _message(message: Message, *, filled: bool) -> ShownMessage:
    if message.is_open:
        return ShownMessage("assistant", (), answers=message.variable or "")
    text = clipped("\n".join(_texts(message)))
    if filled or message.role is Role.assistant or text.left_out:
        pieces: Sequence[Piece] = (Piece(text.text),)
    else:
        pieces = _pieces(text)
    return ShownMessage(str(message.role), pieces, text.left_out)


def _texts(message: Message) -> Iterator[str]:
    content = message.content
    for part in ({"type": "text", "text": content},) if isinstance(content, str) else content or ():
        text = part.get("text")
        yield text if isinstance(text, str) else _bracketed(part_words(part))
    if message.image_url is not None:
        yield _bracketed(f"image: {message.image_url}")
    yield from (f"[calls {call.as_text}]" for call in message.tool_calls)


def _bracketed(words: str) -> str:
    """Return a short description of a part that isn't text. (A `data:` address may be long.)"""
    text = clipped(words, MAX_LABEL)
    more = f"… {text.left_out:,} more characters" if text.left_out else ""
    return f"[{text.text}{more}]"


def _pieces(text: Clipped) -> Sequence[Piece]:
    try:
        segments = parse_template(text.text).segments
    except PromptError:  # an address with braces that isn't a template
        return (Piece(text.text),)
    return [
        Piece(spelled(segment), is_parameter=True)
        if isinstance(segment, Placeholder)
        else Piece(segment)
        for segment in segments
    ]


def spelled(placeholder: Placeholder) -> str:
    """Return a placeholder as it is written in a prompt: `{name[0]!r:>8}`."""
    indexes = "".join(f"[{index}]" for index in placeholder.indexes)
    conversion = f"!{placeholder.conversion}" if placeholder.conversion else ""
    spec = f":{placeholder.spec.text}" if placeholder.spec else ""
    return f"{{{placeholder.name}{indexes}{conversion}{spec}}}"
