"""Answers on the terminal while they arrive: whole, without secrets, harmless."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from itertools import pairwise
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from lve.extensions.recording.recorder import StreamPrinter
from lve.secrets.redaction import Redactor
from lve.secrets.secret_values import REDACTED

SECRET = "sk-very-secret-12345"


def shown(pieces: Sequence[str], redactor: Redactor) -> list[str]:
    """Return what the terminal shows after each piece, and at the end, with this redactor as that
    of the process."""
    printer, screen, found = StreamPrinter(), io.StringIO(), []
    with (
        contextlib.redirect_stdout(screen),
        patch("lve.secrets.redaction.own_redactor", lambda: redactor),
        patch("lve.extensions.recording.recorder.own_redactor", lambda: redactor),
    ):
        printer.begin()
        hear = printer.listen()
        for piece in pieces:
            hear(piece)
            found.append(screen.getvalue())
        printer.end()
    return [*found, screen.getvalue()]


def cut(text: str, places: Sequence[int]) -> list[str]:
    steps = [0, *sorted({place % (len(text) + 1) for place in places}), len(text)]
    return [text[a:b] for a, b in pairwise(steps)]


def test_without_secrets_each_piece_is_shown_at_once() -> None:
    assert shown(["Hel", "lo ::", "x"], Redactor()) == [
        *("Hel", "Hello ::", "Hello ::x", "Hello ::x\n"),
    ]


@given(st.lists(st.integers(0, 999)), st.text("ab ", max_size=900), st.text("ab ", max_size=9))
def test_a_secret_in_pieces_is_never_shown(places: list[int], before: str, behind: str) -> None:
    *_, last = shown(cut(before + SECRET + behind, places), Redactor([SECRET]))
    assert last == f"{before}{REDACTED}{behind}\n"


PIECES = ("abcd1234", "abcd1234efgh", "xyz9abcd", "a", "b", " ")
OVERLAPPING = Redactor(["abcd1234", "abcd1234efgh", "12345xyz9abcd"])


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), st.lists(st.integers(0, 99)))
def test_where_it_is_cut_makes_no_difference(text: str, places: list[int]) -> None:
    *_, last = shown(cut(text, places), OVERLAPPING)
    assert last == (f"{OVERLAPPING(text)}\n" if text else "")


def test_only_what_may_be_a_secret_waits() -> None:
    pieces = ["Hello sk", "-very", " much, ", "friend"]
    assert shown(pieces, Redactor([SECRET]))[:4] == [
        *("Hello ", "Hello ", "Hello sk-very much, ", "Hello sk-very much, friend"),
    ]


@given(st.lists(st.integers(0, 999)))
def test_no_part_of_a_secret_is_shown_meanwhile(places: list[int]) -> None:
    for screen in shown(cut("x" * 400 + SECRET + "y" * 400, places), Redactor([SECRET])):
        assert "s" not in screen


def test_escape_sequences_are_spelled() -> None:
    assert shown(["a\x1b", "]0;owned\x07"], Redactor())[-1] == "a\\x1b]0;owned\\x07\n"


def test_it_knows_what_has_been_shown() -> None:
    printer = StreamPrinter()
    with contextlib.redirect_stdout(io.StringIO()):
        assert not printer.has_printed(["a"])
        for text in ("first try", "one", "two\n"):
            printer.listen()(text)
        printer.end()
        assert printer.has_printed(["one", "two"])
        assert not printer.has_printed(["first try", "two"])
        printer.begin()
        assert not printer.has_printed(["two"])
