from __future__ import annotations

import io

import pytest
from support.results import make_result

from lve.reporting.answer_diff import GAP, MOST_CHARACTERS, answer_text, diff_lines
from lve.reporting.terminal import Terminal

PIPE = Terminal(io.StringIO())
SCREEN = Terminal(io.StringIO(), columns=60, has_colour=True, is_terminal=True)


def shown(before: str | None, now: str | None, terminal: Terminal = PIPE) -> list[str]:
    sides = [None if text is None else make_result(responses=(text,)) for text in (before, now)]
    return list(diff_lines(sides[0], sides[1], terminal))


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("It is Paris.", "It is Rome.", ["answer: It is [-Paris-]{+Rome+}."]),
        ("yes", "yes", ["the same answer: yes"]),
        (None, "yes", ["answer now: yes"]),
        ("yes", None, ["before: yes"]),
        (None, None, []),
        ("", "a\nb", ["answer: {+a\\nb+}"]),
    ],
)
def test_both_answers_are_in_one_text(
    before: str | None, now: str | None, expected: list[str]
) -> None:
    assert shown(before, now) == expected


def test_the_text_around_a_change_is_shown_and_the_rest_is_cut() -> None:
    (line,) = shown("a " * 500 + "x " + "b " * 500, "a " * 500 + "y " + "b " * 500)
    assert line.startswith(f"answer: {GAP}a a ")
    assert "a [-x-]{+y+} b" in line
    assert line.endswith(GAP)
    assert len(line) < 300


def test_of_a_long_answer_that_is_alone_the_beginning_is_shown() -> None:
    (line,) = shown(None, "begin " + "x " * 5000)
    assert line.startswith("answer now: begin x x")
    assert len(line) < 300


def test_answers_of_a_megabyte_stay_short() -> None:
    before = " ".join(f"a{n}" for n in range(200_000))
    now = " ".join(f"b{n}" for n in range(200_000))
    assert len("".join(shown(before, now))) < 2 * MOST_CHARACTERS
    many = (" ".join(f"same{n} {x}{n}" for n in range(1500)) for x in "xy")
    assert len("".join(shown(*many))) < 4 * MOST_CHARACTERS


def test_a_screen_gets_lines_that_fit_and_colours_that_end_with_them() -> None:
    lines = shown("one two three " * 20, "one four three " * 20, SCREEN)
    assert len(lines) > 3
    for line in lines:
        plain = line
        for code in ("\x1b[31m", "\x1b[32m", "\x1b[0m"):
            plain = plain.replace(code, "")
        assert len(plain) <= SCREEN.columns
        assert line.count("\x1b[3") == line.count("\x1b[0m")


def test_what_a_model_wrote_is_harmless() -> None:
    (line,) = shown("\x1b[2J\u202eevil", "::error::\x07")
    assert "\x1b" not in line
    assert "\u202e" not in line
    assert "\x07" not in line


def test_several_answers_are_named() -> None:
    result = make_result(responses=("one", {"a": "two", "b": "three"}))
    assert answer_text(result) == "one\na: two\nb: three"
