"""Hostile text is harmless after escaping."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.escape import clip, columns, escape, first_names, one_line

any_text = st.text(st.characters(codec=None))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ñ 漢字 🎉", "plain ñ 漢字 🎉"),
        ("two\nlines\tand tab", "two\nlines\tand tab"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("over\rwrite", "over\\rwrite"),
        ("\x9b31m", "\\x9b31m"),
        ("\x00\x7f\x08", "\\x00\\x7f\\x08"),
        ("\u202eevil\u202c", "\\u202eevil\\u202c"),
        ("\u2066a\u2069", "\\u2066a\\u2069"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("half \ud800", "half \\ud800"),
        ("\U000e0041tag", "\\U000e0041tag"),
    ],
)
def test_what_could_deceive_is_spelled_out(text: str, shown: str) -> None:
    assert escape(text) == shown


@given(any_text)
def test_nothing_that_controls_a_terminal_is_left(text: str) -> None:
    for character in escape(text).replace("\n", "").replace("\t", ""):
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(character) not in (
            "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
        )  # fmt: skip


@given(any_text, st.integers(1, 100))
def test_one_line_is_one_line_and_fits(text: str, width: int) -> None:
    line = one_line(text, width)
    assert len(line.splitlines()) <= 1
    assert columns(line) <= width


@pytest.mark.parametrize(
    ("names", "shown"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c"], "a, b and 1 more"),
     (["a"] * 1002, "a, a and 1,000 more")],
)  # fmt: skip
def test_of_many_names_the_first_are_shown(names: list[str], shown: str) -> None:
    assert first_names(names, 2) == shown


def test_clipping_says_so_and_keeps_what_fits() -> None:
    assert clip("12345", 5) == "12345"
    assert clip("123456", 5) == "1234…"
    assert clip("漢字漢字", 5) == "漢字…"
    assert columns("e\u0301漢") == 3


def test_a_huge_text_is_clipped_without_looking_at_all_of_it() -> None:
    assert one_line("a\n" * 5_000_000, 10) == "a a a a a…"
