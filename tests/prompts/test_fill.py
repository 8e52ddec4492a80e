"""Filling placeholders: Python's rules, minus what could run code, leak data or fill the memory."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lve.errors import PlaceholderError, PromptError
from lve.prompts.fill import MAX_WIDTH, fill, parse_template, placeholders

SAME_AS_PYTHON = [
    ("", {}),
    ("no placeholder", {}),
    ("{a}{b}", {"a": "1", "b": "2"}),
    ("}}{{", {}),
    ("{{{a}}}", {"a": "{b}"}),
    ("{{a}} {a}", {"a": 1}),
    ("{a[0]} {a[1]!r:>5}", {"a": ["x", "y"]}),
    ("{d[key]} {d[two words]}", {"d": {"key": "v", "two words": "w"}}),
    ("{d[²]}", {"d": {"²": "a key, no number"}}),
    ("{d[l][1][k]}", {"d": {"l": [0, {"k": "deep"}]}}),
    ("{text[0]}", {"text": "abc"}),
    ("{phone-number}", {"phone-number": 5}),
    ("{n:03d} {f:.2f} {n:,} {n:^9}", {"n": 1234, "f": 1.005}),
    ("{n:{width}} {n:{width}.{p}f}", {"n": 1.5, "width": 8, "p": 2}),
    ("{n:0>{width}}", {"n": 7, "width": "5"}),
    ("{a!r} {a!s} {a!a}", {"a": "é'"}),
    ("{none} {yes} {items} {thing}", {"none": None, "yes": True, "items": [1], "thing": {"k": 1}}),
    ("{day:%Y-%m}", {"day": datetime.date(2024, 2, 29)}),
    ("{a:}", {"a": [1]}),
]


@pytest.mark.parametrize(("text", "parameters"), SAME_AS_PYTHON)
def test_fills_as_python_does(text: str, parameters: dict[str, Any]) -> None:
    assert fill(text, parameters) == text.format_map(parameters)


@given(
    st.lists(
        st.one_of(
            st.text(alphabet=st.characters(exclude_characters="{}"), max_size=5),
            st.sampled_from(["{{", "}}", "{a}", "{b!r}", "{a:>4}", "{c:d}", "{l[0]}", "{a:{w}}"]),
        )
    ),
    st.text(),
    st.integers(),
)
def test_any_mix_of_text_and_placeholders_fills_as_python_does(
    pieces: list[str], value: str, number: int
) -> None:
    text = "".join(pieces)
    parameters = {"a": value, "b": value, "c": number, "l": [value], "w": 7}
    assert fill(text, parameters) == text.format_map(parameters)


@given(st.text(alphabet="{}[]!:.abr0 \"'\n"), st.text())
def test_any_text_fills_as_python_does_or_is_refused(text: str, value: str) -> None:
    parameters = {"a": value, "b": 3}
    try:
        filled = fill(text, parameters)
    except PromptError:
        return
    assert filled == text.format_map(parameters)


@given(st.text(), st.text())
def test_values_are_never_read_as_templates(before: str, value: str) -> None:
    text = before.replace("{", "").replace("}", "")
    assert fill(text + "{a}", {"a": value}) == text + value


REFUSED_TEXTS = [
    ("{a.real}", 0, "dot"),
    ("{a[0].real}", 0, "dot"),
    ("x {} y", 2, "{{"),
    ("x {0} y", 2, "{{"),
    ("x {0[k]}", 2, "{{"),
    ("a }", 2, "{{"),
    ("a {{ }", 5, "{{"),
    ("{{}} {", 5, "{{"),
    ("{a", 0, "{{"),
    ("{a[}", 0, "{{"),
    ("{a[]}", 0, "[index]"),
    ("{a[0]b}", 0, "[index]"),
    ("{a} {b!x}", 4, "!r, !s, !a"),
    ("{a!}", 0, "{{"),
    ("{a:{b:{c}}}", 0, "nested"),
]


@pytest.mark.parametrize(("text", "offset", "words"), REFUSED_TEXTS)
def test_refuses_a_text_and_says_where(text: str, offset: int, words: str) -> None:
    with pytest.raises(PlaceholderError) as caught:
        parse_template(text)
    assert caught.value.offset == offset
    assert words in str(caught.value)


REFUSED_VALUES: list[tuple[str, dict[str, Any], str]] = [
    ("{b}", {"a": 1}, "parameter 'b' has no value (given: a)"),
    ("{b}", {}, "given: none"),
    ("{a[1]}", {"a": ["x"]}, "no item [1]"),
    ("{a[²]}", {"a": ["x", "y", "z"]}, "no item [²]"),
    ("{a[9999999999]}", {"a": ["x"]}, "no item [9999999999]"),
    ("{a[k]}", {"a": {}}, "no item [k]"),
    ("{a[k]}", {"a": ["x"]}, "no item [k]"),
    ("{a[0]}", {"a": 5}, "no list or object"),
    ("{a:d}", {"a": "x"}, "can't be formatted"),
    ("{a:>5}", {"a": []}, "can't be formatted"),
    ("{a:c}", {"a": 2**40}, "can't be formatted"),
    ("{a}", {"a": 10**5000}, "can't be formatted"),
    ("{a!r}", {"a": 10**5000}, "can't be formatted"),
    ("{a:{w}}", {"a": "x", "w": "2000"}, str(MAX_WIDTH)),
    ("{a:.2000f}", {"a": 1.0}, str(MAX_WIDTH)),
    ("{a:999999999999999999999}", {"a": "x"}, str(MAX_WIDTH)),
]


@pytest.mark.parametrize(("text", "parameters", "words"), REFUSED_VALUES)
def test_refuses_values(text: str, parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(PromptError) as caught:
        fill(text, parameters)
    assert words in str(caught.value)


def test_a_number_that_is_too_long_for_an_index_is_a_key() -> None:
    long = "9" * 5_000  # more digits than Python reads as one number
    assert fill(f"{{d[{long}]}}", {"d": {long: "there"}}) == "there"
    with pytest.raises(PromptError, match="no item"):
        fill(f"{{a[{long}]}}", {"a": ["x"]})


def test_finds_each_name_once_in_the_order_of_the_text() -> None:
    assert placeholders("{b} {{no}} {a!r:{w}} {b[0]}") == ("b", "a", "w")


@pytest.mark.parametrize(
    ("text", "offsets"),
    [("ab{x}{{}}{y:>4} {z!r:x}{t:}{w}", [2, 9, 16, 23, 27]), ("{{{x}}}", [2]), ("é{x}", [1])],
)
def test_knows_where_placeholders_stand(text: str, offsets: list[int]) -> None:
    assert [p.offset for p in parse_template(text).placeholders()] == offsets
