"""Shows the difference of two answers to the same prompt, word by word."""

from __future__ import annotations

from collections.abc import Iterator

from lve.escape import columns, escape_line, head, keyless, tail
from lve.prompts.word_diff import Piece, word_diff
from lve.reporting.terminal import Terminal
from lve.sessions.instance_result import InstanceResult

CONTEXT = 60
"""Characters around a change that are shown."""
MOST_CHANGED = 400
"""Characters of one change that are shown."""
MOST_CHARACTERS = 1200
"""Characters of a whole difference that are shown."""
GAP = " [...] "


def diff_lines(
    before: InstanceResult | None, now: InstanceResult | None, terminal: Terminal
) -> Iterator[str]:
    """Yield the lines of the difference: `[-only before-]`, `{+only now+}`.

    Args:
        before: the earlier result; None if its answer isn't stored.
        now: the later result; None if its answer isn't stored.
        terminal: where it is shown.
    """
    old = None if before is None else keyless(answer_text(before))
    new = None if now is None else keyless(answer_text(now))
    if old is None or new is None or old == new:
        only = new if new is not None else old
        if only is None:
            return
        label = "the same answer" if old == new else "answer now" if new is not None else "before"
        yield from _wrapped(f"{label}: ", [Piece("same", only)], terminal)
        return
    yield from _wrapped("answer: ", word_diff(old, new), terminal)


def answer_text(result: InstanceResult) -> str:
    """Return all answers of a result as one text."""
    texts = []
    for response in result.responses:
        if isinstance(response, str):
            texts.append(response)
        else:
            texts += [f"{name}: {text}" for name, text in response.items()]
    return "\n".join(texts)


def _wrapped(label: str, pieces: list[Piece], terminal: Terminal) -> Iterator[str]:
    """Yield lines that fit the terminal; each line has its own colour codes."""
    width = terminal.columns - 4
    line, used = label, columns(label)
    for kind, text in _bounded(pieces):
        begin, end = {"same": ("", ""), "gone": ("[-", "-]"), "new": ("{+", "+}")}[kind]
        words = f"{begin}{escape_line(text)}{end}"
        for word in _parts(words):
            word_columns = columns(word)
            if terminal.is_terminal and used + word_columns > width and used:
                yield line
                line, used, word = "    ", 4, word.lstrip()
                word_columns = columns(word)
            line += _painted(word, kind, terminal)
            used += word_columns
    if line.strip():
        yield line


def _painted(word: str, kind: str, terminal: Terminal) -> str:
    if kind == "same":
        return word
    return terminal.paint(word, "red" if kind == "gone" else "green")


def _parts(text: str) -> Iterator[str]:
    """Yield words, each with the space after it; a word of more than 60 characters is split."""
    while text:
        end = text.find(" ", 0, 60) + 1
        yield text[: end or 60]
        text = text[end or 60 :]


def _bounded(pieces: list[Piece]) -> Iterator[Piece]:
    """Yield the changes with the text around them, shortened to the limits."""
    left = MOST_CHARACTERS
    for index, (kind, text) in enumerate(pieces):
        limit = MOST_CHANGED
        if kind == "same" and len(pieces) > 1:
            limit = 2 * CONTEXT
        shortened = text
        if len(text) > limit:
            keep_start = kind != "same" or index > 0 or len(pieces) == 1
            keep_end = kind == "same" and index < len(pieces) - 1
            shortened = (head(text, limit // 2) if keep_start else "") + GAP
            shortened += tail(text, limit // 2) if keep_end else ""
        yield Piece(kind, shortened)
        left -= len(shortened)
        if left < 0:
            yield Piece("same", GAP)
            return
