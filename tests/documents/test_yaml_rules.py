"""Messages about YAML that can't be parsed."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lve.documents.position_types import TextError
from lve.documents.yaml_rules import MOST_SHOWN, is_printable
from lve.documents.yaml_text import parse_yaml

HINT = "put quotes around the text: "
QUOTED_PAIR = 'a:\n  - "contains": "x"\n bad: 1\n'
TEXTS = st.text(st.sampled_from("ab1:{}[]'\"@`%*&!#,- \\"), min_size=1, max_size=MOST_SHOWN)


def hint_of(text: str) -> str | None:
    """Return the hint of the last problem; None if the text is YAML."""
    try:
        parse_yaml(text)
    except TextError as error:
        return error.findings[-1].hint or ""
    return None


@given(TEXTS, st.sampled_from(["content: ", "- ", "  - user: "]))
def test_what_is_advised_is_yaml_and_means_the_text(value: str, entry: str) -> None:
    value = value.strip() or "x"
    hint = hint_of(f"{entry}{value}\n")
    if hint and hint.startswith(HINT):
        (line,) = hint.removeprefix(HINT).splitlines()
        read = yaml.safe_load(line)
        (meant,) = read.values() if isinstance(read, dict) else read
        value = re.sub(r"^(- +)+", "", value)  # dashes at its beginning are lists in the list
        assert meant in (value, value[1:-1].strip()), "its quotes may have been meant as such"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\nb: {a} and b\n", 2),
        ("a: 1\nb: {a} and b\n\nc: 2\n", 2),
        ("prompt:\n  - user: Is it so: yes\n", 2),
        ("a: 1\nb: 'It's so'\n\nc: 2\n", 2),
    ],
)
def test_it_is_said_of_the_line_where_the_text_stands(text: str, line: int) -> None:
    with pytest.raises(TextError) as refused:
        parse_yaml(text)
    (found,) = refused.value.findings
    assert (found.line, (found.hint or "").startswith(HINT)) == (line, True)


@pytest.mark.parametrize(
    "text", ["a: [1, 2\nb: 3\n", "a: 'open\n", "a:\n\tb: 1\n", "a\nb: 1\n", QUOTED_PAIR]
)
def test_other_mistakes_get_no_advice_about_quotes(text: str) -> None:
    assert not (hint_of(text) or "").startswith(HINT)
    assert hint_of(text) is not None


def test_a_long_text_is_not_repeated() -> None:
    hint = hint_of(f"a: {{b}} {'x' * 10_000}\n")
    assert hint is not None
    assert len(hint) < 100


def test_the_forbidden_characters_are_those_of_pyyaml() -> None:
    theirs = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
    for character in map(chr, range(0x110000)):
        assert is_printable(character) == (theirs.search(character) is None), hex(ord(character))
