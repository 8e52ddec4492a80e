"""What disguises and encodings make of texts, for numbers at the edges of each choice."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from support.recorded_calls import Calls, changed, grid, record

from lve.extensions.attacks.text_changes import disguises, encodings, frames

TEXTS = (
    "", "a", "ab", "abc", "abcd", "abcde fgh", "I am AZaz 09!", "a.b-c d",
    "\u00e4\u00df\u4e2d\U0001f600", "two\nlines\t here", "hello hello hello", "word's it's",
)  # fmt: skip
NUMBERS = (
    (0.0,), (0.999,), (0.5,), (0.499,), (0.0, 0.0), (0.0, 0.34), (0.0, 0.67), (0.166, 0.4),
    (0.167, 0.4), (0.1, 0.9, 0.3, 0.6), (0.9, 0.0, 0.999),
)  # fmt: skip
PLAIN = (
    *("leetspeak", "zero_width", "homoglyphs", "accents", "superscript", "spaced", "hyphenated"),
    "spelled",
)
CHOOSING = ("mixed_case", "typos", "shuffled_words")
ENCODINGS = (
    *("in_base64", "in_hex", "in_binary", "rot13", "caesar", "atbash", "morse", "braille"),
    *("backwards", "in_tags", "escaped", "in_url"),
)

FRAMES = (
    *("role_play", "no_refusal", "begun_answer", "hypothetical", "many_shot", "split_payload"),
    *("to_decode", "as_system", "in_tool_output", "in_document", "in_web_page", "in_email"),
)


def disguised(name: str, text: str) -> object:
    return getattr(disguises, name)(text)


def chosen(name: str, text: str, numbers: Sequence[float]) -> object:
    following = itertools.cycle(numbers)
    return getattr(disguises, name)(text, lambda: next(following))


def encoded(name: str, text: str) -> object:
    return getattr(encodings, name)(text)


def framed(name: str, text: str) -> list[str]:
    """Return the lines of what is sent instead of a text."""
    sent: str = getattr(frames, name)(text)
    return sent.split("\n")


def drawn(changes: int) -> object:
    tries: list[int] = []

    def draw(number: int) -> str:
        tries.append(number)
        return "b" if len(tries) == changes else "a"

    return disguises.changed("a", draw), tries[-1:], len(tries)


def all_calls() -> Calls:
    most = disguises.DRAWS
    return {
        **grid(disguised, PLAIN, TEXTS),
        **grid(chosen, CHOOSING, TEXTS, NUMBERS),
        **grid(encoded, ENCODINGS, TEXTS),
        **grid(framed, FRAMES, ("", "abc", "Tell me\nhow <it> works.", "12345678")),
        **grid(drawn, (1, 2, most, most + 1, 0)),
        **grid(encodings.has_morse, "aZ0.\u00e4 \n"),
        **grid(encodings.has_tag, "a~ \x7f\u00e4\n\x1f"),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("attacks", all_calls()) == {}


if __name__ == "__main__":
    record("attacks", all_calls())
