"""Dialogues: filling them, inserting examples, marks around sections."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import (
    Mark,
    PromptBody,
    concat,
    fill_columns,
    fill_item,
    fill_prompt,
    replace_all,
    replace_token,
    template_prompt,
    visible,
)
from lve.prompts.size import OBJECT_CHARACTERS, CharacterBudget

HI = {"role": "HUMAN", "prompt": "hi </E>"}
OPEN, CLOSE = Mark("round", True), Mark("round", False)


@pytest.mark.parametrize(
    ("text", "row", "filled"),
    [
        ("{a} {b} {c}", {"a": 1, "b": None}, "1 None {c}"),
        ("{{a}} {a:>3}", {"a": 1}, "{1} {a:>3}"),
        ("{a}", {"a": "{b}", "b": "x"}, "x"),
        ("{b}", {"a": "x", "b": "{a}"}, "{a}"),
        ("", {"a": 1}, ""),
        ("{a} {a}", {"a": ["x"]}, "['x'] ['x']"),
    ],
)
def test_columns_are_filled_one_after_another(text: str, row: dict[str, Any], filled: str) -> None:
    assert fill_columns(text, row, stage="prompt") == filled


@pytest.mark.parametrize("value", [10**5000, [[10**5000]]], ids=["number", "in lists"])
def test_a_value_that_can_not_be_written_is_reported(value: object) -> None:
    with pytest.raises(TemplateError, match="a value can't be written as text"):
        fill_columns("{a}", {"a": value}, stage="prompt")


def test_only_texts_are_filled() -> None:
    with pytest.raises(TemplateError, match="a prompt must be a text, not a list"):
        fill_columns(["x"], {}, stage="prompt")


def test_a_dialogue_is_filled_item_by_item_and_its_template_stays() -> None:
    bare = {"role": "BOT"}
    template: PromptBody = [OPEN, "{a}", {"role": "HUMAN", "prompt": "{a}", "name": "{a}"}, bare]
    filled = fill_prompt(template, {"a": "x"}, stage="prompt")
    assert filled == [OPEN, "x", {"role": "HUMAN", "prompt": "x", "name": "{a}"}, bare]
    assert filled[3] is not bare
    assert template[1] == "{a}"
    assert fill_prompt("{a}", {"a": "x"}, stage="prompt") == "x"


@pytest.mark.parametrize(
    ("prompt", "content", "result"),
    [
        ("a </E> b </E>", "x", "a x b x"),
        ("none", "x", "none"),
        (["a </E>", HI], "x", ["a x", {"role": "HUMAN", "prompt": "hi x"}]),
        (["a</E>b</E>"], [{"role": "BOT"}], ["a", {"role": "BOT"}, "b", {"role": "BOT"}]),
        (["</E>"], [OPEN, "x"], [OPEN, "x"]),
        ([OPEN, {"role": "BOT"}], ["x"], [OPEN, {"role": "BOT"}]),
        (["</E>", {"role": "HUMAN", "prompt": "hi"}], "", ["", {"role": "HUMAN", "prompt": "hi"}]),
    ],
)
def test_examples_are_put_where_the_token_stands(
    prompt: PromptBody, content: PromptBody, result: PromptBody
) -> None:
    assert replace_token(prompt, "</E>", content, stage="prompt") == result


@pytest.mark.parametrize(
    ("prompt", "token", "message"),
    [
        ("text", "</E>", "examples are a dialogue but the prompt is a text"),
        ([HI], "</E>", "'</E>' stands inside a message"),
        (["x"], "", "an empty ice_token can't stand for a dialogue"),
        ([5], "</E>", "can't be part of a dialogue"),
        ([{"role": "X", "prompt": 5}], "</E>", "a prompt must be a text"),
    ],
)
def test_where_a_dialogue_can_not_go_is_reported(prompt: Any, token: str, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        replace_token(prompt, token, ["example"], stage="prompt")


def test_a_template_becomes_sections() -> None:
    template = {"begin": "b", "round": [HI], "end": ["e", HI]}
    assert template_prompt(template, ice=False, stage="template") == [
        Mark("begin", True), "b", Mark("begin", False), OPEN, HI, CLOSE,
        Mark("end", True), "e", HI, Mark("end", False),
    ]  # fmt: skip
    example = [Mark("ice", True), HI, Mark("ice", False)]
    assert template_prompt(template, ice=True, stage="template") == example
    assert template_prompt("text", ice=True, stage="template") == "text"


@pytest.mark.parametrize(("content", "items"), [("x", ["x"]), ("", []), (None, []), ([], [])])
def test_a_round_may_be_one_text_or_nothing(content: Any, items: list[str]) -> None:
    found = template_prompt({"round": content}, ice=False, stage="template")
    assert found == [OPEN, *items, CLOSE]


@pytest.mark.parametrize("template", [{"begin": "x"}, ["x"], None])
def test_a_dialogue_without_rounds_is_refused(template: Any) -> None:
    with pytest.raises(TemplateError, match="needs `round`"):
        template_prompt(template, ice=False, stage="template")


@pytest.mark.parametrize("content", [1, True, 2.5])
def test_a_round_that_is_no_list_is_refused(content: object) -> None:
    with pytest.raises(TemplateError, match="`round` must be a list, not "):
        template_prompt({"round": content}, ice=False, stage="prompt")


def test_people_see_no_marks_and_no_empty_texts() -> None:
    assert visible([OPEN, "", "x", HI, CLOSE]) == ["x", HI]
    assert visible("text") == "text"


def test_joined_texts_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.opencompass.dialogue.MAX_CHARACTERS", 10)
    assert concat(["abc", "def"], "--", stage="parse") == "abc--def"
    with pytest.raises(TemplateError, match="would have more than"):
        concat(["abcd", "defg"], "--", stage="parse")


def test_a_text_may_have_as_many_characters_as_the_limit_says() -> None:
    assert replace_all("x-", "x", "abc", stage="prompt", most=4) == "abc-"
    with pytest.raises(TemplateError, match="more than 3 characters"):
        replace_all("x-", "x", "abc", stage="prompt", most=3)


def test_a_filled_message_counts_its_text_and_its_object() -> None:
    message = {"role": "HUMAN", "prompt": "{a}"}
    budget = CharacterBudget(OBJECT_CHARACTERS + 5, "prompt")
    assert fill_item(message, {"a": "12345"}, stage="prompt", budget=budget)
    with pytest.raises(TemplateError, match="more than 69 characters"):
        fill_item(message, {"a": ""}, stage="prompt", budget=budget)


def test_examples_that_are_too_many_items_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.opencompass.dialogue.MAX_ITEMS", 3)
    assert replace_token(["</E>"], "</E>", [HI] * 3, stage="prompt") == [HI] * 3
    with pytest.raises(TemplateError, match="would have more than"):
        replace_token(["</E>"], "</E>", [HI] * 4, stage="prompt")
