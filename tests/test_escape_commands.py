"""No text becomes a command to a CI runner, by the runners' own rules."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.escape import disarm, disarm_json, escape, escape_line, one_line

COMMANDS = [
    "::add-mask::secret",
    "  \t::stop-commands::token",
    "\u00a0\u3000::error file=a::b",
    "##[group]x",
    "x ##[command]y",
    "##vso[task.setvariable variable=a]b",
    "before ##vso[task.prependpath]/evil",
    "###vso[x]",
    "####vso[x]",
    "##teamcity[testFailed name='x']",
    "travis_fold:start:x",
    " travis_time:start:x",
    "a\n::add-mask::b",
    "a\r::add-mask::b",
    "a\u2028::add-mask::b",
    "a\x0b::add-mask::b\x0c##vso[x]",
]
pieces = st.one_of(
    st.sampled_from([*COMMANDS, "::", ":", "#", "##", "vso[", "[", "\n", "\r", " ", "\x1b", "\\"]),
    st.text(max_size=4),
)
texts = st.lists(pieces, max_size=8).map("".join)


def obeyed(text: str) -> list[str]:
    """Return the lines of an output that a runner would obey."""
    lines = re.split("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text)
    return [line for line in lines if _is_obeyed(line)]


def _is_obeyed(line: str) -> bool:
    start = line.strip()
    at_start = start.startswith(("::", "travis_fold:", "travis_time:"))
    return at_start or re.search(r"##\w*\[", line) is not None


@pytest.mark.parametrize("text", COMMANDS)
def test_these_are_commands_and_then_no_more(text: str) -> None:
    assert obeyed(text)
    assert not obeyed(escape(text))


@given(texts)
def test_no_escaped_text_is_obeyed_or_controls(text: str) -> None:
    for escaped in (escape(text), escape_line(text), one_line(text), one_line(text, 30)):
        assert not obeyed(escaped)
        controls = [c for c in escaped if unicodedata.category(c) in ("Cc", "Cf", "Cs")]
        assert set(controls) <= {"\n", "\t"}
        assert escape(escaped) == escaped


@given(texts, texts)
def test_pieces_on_one_line_are_disarmed(first: str, second: str) -> None:
    assert not obeyed(disarm(f"{escape_line(first)}{escape_line(second)}"))


@given(st.recursive(texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner)))
def test_json_says_the_same(value: object) -> None:
    for written in (json.dumps(value, indent=2), json.dumps(value)):
        printed = disarm_json(written)
        assert json.loads(printed) == value
        assert not obeyed(printed)


@pytest.mark.parametrize(
    "text",
    [
        "std::vector and a::b",
        "repository/a/test.json::row-1",
        "# title\n## section\n### [link](x)",
        "a: b",
        ": ",
        "c##d",
        "#[attribute]",
    ],
)
def test_honest_texts_stay(text: str) -> None:
    assert escape(text) == text


def test_it_takes_time_in_proportion() -> None:
    for text in (" " * 300_000 + ":", "#" * 300_000, "##" + "a" * 300_000, " ::\n" * 100_000):
        assert not obeyed(escape(text))
