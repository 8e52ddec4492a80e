"""`PromptTemplate`: examples, prompts, prompts of labels, tokens of columns."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import PromptBody, visible
from lve.extensions.opencompass.template import PromptTemplate

ROW = {"q": "1+1", "a": "2"}
HUMAN = {"role": "HUMAN", "prompt": "Q: {q}"}
BOT = {"role": "BOT", "prompt": "A: {a}"}
DIALOGUE = {"begin": ["</E>"], "round": [HUMAN, BOT]}
LABELS = {"yes": "</E>{q}? yes", "no": "</E>{q}? no"}


def prompted(template: PromptTemplate, ice: PromptBody = "", *, mask: str | None = None) -> Any:
    output = None if mask is None else "a"
    return visible(template.prompt(ROW, ice, output=output, replacement=mask or ""))


@pytest.mark.parametrize(
    ("template", "is_dialogue", "labels"),
    [("text", False, None), (DIALOGUE, True, ["begin", "round"]), (LABELS, False, ["yes", "no"])],
)
def test_all_keys_say_whether_it_is_a_dialogue(
    template: Any, is_dialogue: bool, labels: list[str] | None
) -> None:
    made = PromptTemplate(template)
    assert (made.is_dialogue, made.labels) == (is_dialogue, labels)


def test_an_example_has_rounds_only_and_no_tokens_of_examples() -> None:
    made = PromptTemplate(DIALOGUE, ice_token="</E>")
    assert visible(made.example(ROW, None)) == [
        {"role": "HUMAN", "prompt": "Q: 1+1"}, {"role": "BOT", "prompt": "A: 2"},
    ]  # fmt: skip
    assert PromptTemplate("</E>{q}={a}", ice_token="</E>").example(ROW, None) == "1+1=2"
    assert PromptTemplate("<s>{q}", sep_token="<s>").example(ROW, None) == "<s>1+1"


def test_a_prompt_masks_the_answer_and_takes_examples() -> None:
    made = PromptTemplate("</E>{q}={a}<s>", ice_token="</E>", sep_token="<s>")
    assert prompted(made, "0+0=0\n", mask="") == "0+0=0\n1+1="
    assert prompted(made, "0+0=0\n", mask="?") == "0+0=0\n1+1=?"
    assert prompted(made) == "1+1=2"
    example = [{"role": "HUMAN", "prompt": "Q: 0"}]
    assert prompted(PromptTemplate(DIALOGUE, ice_token="</E>"), example, mask="") == [
        *example, {"role": "HUMAN", "prompt": "Q: 1+1"}, {"role": "BOT", "prompt": "A: "},
    ]  # fmt: skip


def test_a_generation_takes_the_first_label_and_a_rating_each_its_own() -> None:
    made = PromptTemplate(LABELS, ice_token="</E>", sep_token="?")
    assert prompted(made, "e ") == "e 1+1 yes"
    assert made.label_prompt(ROW, "e ", "no") == "e 1+1 no"
    assert made.example(ROW, "no") == "1+1? no"
    for label in ("maybe", ["no"]):
        with pytest.raises(TemplateError, match=r"the template has no label .*; it has yes, no"):
            made.label_prompt(ROW, "", label)


def test_a_label_prompt_masks_nothing_and_a_dialogue_has_no_labels() -> None:
    assert PromptTemplate("{q}={a}").label_prompt(ROW, "", "any") == "1+1=2"
    made = PromptTemplate(DIALOGUE, ice_token="</E>")
    (*_, last) = visible(made.label_prompt(ROW, "", "any"))
    assert last == {"role": "BOT", "prompt": "A: 2"}


def test_tokens_stand_for_columns() -> None:
    made = PromptTemplate("</Q> {q} </A>", column_token_map={"q": "</Q>", "a": "</A>"})
    assert prompted(made, mask="?") == "1+1 {q} ?"
    template = {"begin": "</Q>", "round": [{"role": "HUMAN", "prompt": "</Q>!"}, {"role": "BOT"}]}
    made = PromptTemplate(template, column_token_map={"q": "</Q>"})
    assert prompted(made) == ["1+1", {"role": "HUMAN", "prompt": "1+1!"}, {"role": "BOT"}]
    with pytest.raises(TemplateError, match="names the column 'z', which the rows don't have"):
        prompted(PromptTemplate("</Z>", column_token_map={"z": "</Z>"}))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"template": 5}, "`template` must be a text or an object"),
        ({"template": {"a": 5}}, "`template.a` must be a text, list or object"),
        ({"template": "x", "ice_token": 5}, "ice_token must be a text"),
        ({"template": "x", "sep_token": ["s"]}, "sep_token must be a text"),
        ({"template": "x", "ice_token": "</E>"}, "ice_token '</E>' is not in the template"),
        ({"template": {"a": "x"}, "ice_token": "</E>"}, "is not in `template.a`"),
        ({"template": {"end": "x"}, "ice_token": "</E>"}, "is not in `template.end`"),
        ({"template": "x", "column_token_map": ["x"]}, "must map columns to texts"),
        ({"template": "x", "column_token_map": {"a": 5}}, "must map columns to texts"),
        ({"template": "x", "column_token_map": {"a": "t", "b": "t"}}, "has a token twice"),
        (
            {"template": "t", "ice_token": "t", "column_token_map": {"a": "t"}},
            "uses the ice_token as a token",
        ),
    ],
)
def test_a_wrong_template_is_explained(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        PromptTemplate(**arguments)


def test_the_end_of_a_dialogue_with_tokens_may_lack_the_ice_token() -> None:
    PromptTemplate({"end": "x"}, ice_token="</E>", column_token_map={"a": "t"})
