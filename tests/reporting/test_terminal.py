"""What a stream can show: colours, signs, lines that fit."""

from __future__ import annotations

import io

import pytest
from reporting.reports import MIXED, FakeTerminal, play
from support.results import make_result

from lve.reporting import REPORTERS
from lve.reporting.terminal import MAX_LINES, Terminal
from lve.reporting.text import TextReporter


def test_a_stream_without_unicode_gets_words_and_escapes() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    play(REPORTERS["text"](stream, "verbose"), [make_result(verdict="failed", reason="café 🎉")])
    text = raw.getvalue().decode("ascii")
    assert "FAIL repository/a" in text
    assert "caf\\xe9 \\U0001f389" in text


@pytest.mark.parametrize(
    ("stream", "env", "has_colour"),
    [
        (FakeTerminal(), {}, True),
        (FakeTerminal(), {"NO_COLOR": "1"}, False),
        (FakeTerminal(), {"TERM": "dumb"}, False),
        (FakeTerminal(), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    stream: io.StringIO, env: dict[str, str], has_colour: bool
) -> None:
    play(TextReporter(Terminal.of(stream, env)), MIXED)
    assert ("\x1b[31m✗\x1b[0m" in stream.getvalue()) is has_colour
    assert ("\x1b" in stream.getvalue()) is has_colour


def test_reasons_are_folded_on_a_screen_and_whole_elsewhere() -> None:
    text = "missing package: install it with " + "pip install 'lve[extra]' " * 6 + "END"
    screen = Terminal(io.StringIO(), columns=40, is_terminal=True)
    lines = screen.fold(text, 4)
    assert max(map(len, lines)) <= 36
    assert " ".join(line.removeprefix("  ") for line in lines) == text
    assert [line.startswith("  ") for line in lines] == [False] + [True] * (len(lines) - 1)
    assert Terminal(io.StringIO(), columns=40).fold(text, 4) == [text]
    assert len(screen.fold("word " * 100_000, 4)) == MAX_LINES
