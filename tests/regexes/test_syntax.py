"""The `regex` package behaves as Python's `re` here, and gives up in time."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from lve import regexes


@pytest.mark.parametrize(
    ("pattern", "flags", "text"),
    [
        ("a{e<=1}", 0, "a{e<=1}"),
        ("(?:cats){e<=1}", 0, "cuts"),
        ("(?:cats){i}", 0, "cats{i}"),
        ("a{}", 0, "a{}"),
        ("a{,2}b", 0, "aab"),
        ("a{2,}b", 0, "aaab"),
        ("a{1,2", 0, "a{1,2"),
        ("[[:alpha:]]", 0, "x"),
        ("[[:alpha:]]", 0, ":]"),
        ("[]a]+", 0, "]a"),
        ("[^]a]+", 0, "b]"),
        (r"[\]a{e}]+", 0, "]{e}"),
        (r"\{e\}", 0, "{e}"),
        (r"\N{EM DASH}", 0, "\u2014"),
        ("^b$", re.MULTILINE, "a\nb\nc"),
        ("a.b", re.DOTALL, "a\nb"),
        ("A B # comment {e}", re.VERBOSE | re.IGNORECASE, "ab"),
        (r"\w+", re.ASCII, "é a"),
        (r"(?P<x>a)(?P=x)", 0, "aa"),
        (r"(?<=a)b(?!c)", 0, "abc ab"),
        (r"\bword\b", 0, "a word."),
        ("(right-wing||left-wing)", 0, "left-wing"),
        ("(?i)STRASSE|ß", 0, "Straße"),
        (r"$", 0, "a\n"),
        (r"a\Z", 0, "a\n"),
        ("(?#[)[ab]", 0, "b"),
        ("(?#{e})a{e}", 0, "a{e}"),
        ("a #[\n[b]", re.VERBOSE, "ab"),
        ("(?x)a # (\n b", 0, "ab"),
        ("(?x: a b )c", 0, "abc"),
        ("(?i:a)b|(?s:.)c", 0, "\nc"),
        ("(?i)a(?-i:b)", 0, "AB Ab"),
        ("(a)?(?(1)b|c)", 0, "c ab"),
        ("(?P<x>a)?(?(x)b)", 0, "ab"),
        (r"(a)(b)\2\1", 0, "abba"),
        ("[a-c]|[x-]", 0, "-"),
        (r"[\d\-x]+", 0, "1-x"),
        (r"[^\W\d]+", 0, "1ab"),
        ("(?!)|b", 0, "b"),
        ("(?:)*a", 0, "a"),
        ("abc|abd|ab", 0, "abd"),
        ("[-&&||~~]+", 0, "&|~-"),
        ("\x00[\x01-\x1f]", 0, "\x00\x05"),
        ("\ud800+", 0, "\ud800\ud800"),
        (r"\u0130|[\u0130-\u0131]", re.IGNORECASE, "i\u0131"),
    ],
)
def test_same_match_as_re(pattern: str, flags: int, text: str) -> None:
    assert _ours(pattern, flags, text) == _theirs(pattern, flags, text)


_atoms = st.sampled_from(
    [
        *"ab-1 {}]",
        ".",
        r"\d",
        r"\w",
        r"\s",
        "[ab]",
        "[^a]",
        r"\{",
        "(a)",
        "(?:b1)",
        "^",
        "$",
        r"\b",
        "(?=a)",
        "(?!b)",
        "(?<=a)",
        "(?<!1)",
        "(a|b1)",
        "(?:a|ab|)",
        "()",
        r"[^\d\s-]",
        "[b-]",
        "(?i:A)",
        "(?#[)",
        "(?P<n>b)?(?(n)1)",
        "(?:a+)+",
    ]
)
_repeats = st.sampled_from(["", "", "", "*", "+", "?", "*?", "{2}", "{1,2}", "{,1}"])
_pieces = st.tuples(_atoms, _repeats).map("".join)
_patterns = st.lists(_pieces | st.just("|"), max_size=5).map("".join)


@settings(max_examples=examples(500), deadline=None)
@given(pattern=_patterns, text=st.text("ab1 -{}]\n", max_size=8))
def test_random_pattern_matches_as_in_re(pattern: str, text: str) -> None:
    try:
        theirs = _theirs(pattern, 0, text)
    except re.error:
        with pytest.raises(regexes.PatternError):
            regexes.compile_pattern(pattern)
        return
    assert _ours(pattern, 0, text) == theirs


def test_catastrophic_pattern_gives_up() -> None:
    pattern = regexes.compile_pattern(r"(a|a)*$")
    with pytest.raises(regexes.PatternTimeoutError, match="takes more than"):
        regexes.call(pattern, "search", "a" * 60 + "b")


def test_mistake_is_placed() -> None:
    with pytest.raises(regexes.PatternError, match="character 4") as caught:
        regexes.compile_pattern("abc(")
    assert caught.value.offset == 3


def _ours(pattern: str, flags: int, text: str) -> Any:
    match = regexes.call(regexes.compile_pattern(pattern, flags), "search", text)
    return match and (match.span(), match.groups())


def _theirs(pattern: str, flags: int, text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what may change in a future Python
        match = re.compile(pattern, flags).search(text)
    return match and (match.span(), match.groups())
