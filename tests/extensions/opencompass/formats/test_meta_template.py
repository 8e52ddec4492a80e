"""Meta templates: their roles, splitting dialogues into rounds, fallback roles."""

from __future__ import annotations

from typing import Any

import pytest

from lve.errors import TemplateError
from lve.extensions.opencompass.dialogue import Dialogue, template_prompt
from lve.extensions.opencompass.formats.api_parser import APIParser
from lve.extensions.opencompass.formats.chat_parser import LMParser
from lve.extensions.opencompass.formats.meta_template import Mode

META: dict[str, Any] = {
    "begin": "<s>",
    "round": [
        {"role": "HUMAN", "begin": "H:", "end": ";"},
        {"role": "BOT", "begin": "B:", "end": ";", "generate": True},
    ],
    "reserved_roles": [{"role": "SYSTEM", "begin": "S:", "end": ";"}],
    "end": "</s>",
}


def said(role: str, prompt: str, **more: str) -> dict[str, str]:
    return {"role": role, "prompt": prompt, **more}


def text(template: dict[str, Any], mode: Mode = "gen", meta: dict[str, Any] = META) -> str:
    dialogue = template_prompt(template, ice=False, stage="template")
    assert isinstance(dialogue, list)
    return LMParser(meta).parse(dialogue, mode, {"q": "row"})


@pytest.mark.parametrize(
    ("messages", "mode", "expected"),
    [
        ([said("HUMAN", "a"), said("BOT", "b")], "gen", "<s>H:a;B:"),
        ([said("HUMAN", "a"), said("BOT", "b")], "ppl", "<s>H:a;B:b;</s>"),
        ([said("HUMAN", "a")], "gen", "<s>H:a;B:"),
        ([said("HUMAN", "a"), said("BOT", "b"), said("HUMAN", "c")], "gen", "<s>H:a;B:b;H:c;B:"),
        ([said("HUMAN", "a"), said("HUMAN", "c")], "gen", "<s>H:a;B:;H:c;B:"),
        ([said("BOT", "a"), said("BOT", "b")], "ppl", "<s>H:;B:a;H:;B:b;</s>"),
    ],
)
def test_a_round_begins_where_the_roles_start_over(
    messages: Dialogue, mode: Mode, expected: str
) -> None:
    assert text({"round": messages}, mode) == expected


def test_begin_and_end_take_reserved_roles_and_texts() -> None:
    template = {"begin": [said("SYSTEM", "r"), "t"], "round": [said("HUMAN", "a")], "end": ["e"]}
    assert text(template, "ppl") == "<s>S:r;tH:a;B:;e</s>"
    template = {"round": [said("HUMAN", "a")], "end": [said("SYSTEM", "r")]}
    assert text(template, "ppl") == "<s>H:a;B:;S:r;</s>"
    template = {"begin": [said("OTHER", "r", fallback_role="SYSTEM")], "round": []}
    assert text(template, "ppl") == "<s>S:r;H:;B:;</s>"


def test_a_role_may_change_what_surrounds_it_for_one_round() -> None:
    messages = [said("HUMAN", "a", begin="Q:"), said("HUMAN", "c")]
    assert text({"round": messages}, "ppl") == "<s>Q:a;B:;H:c;B:;</s>"


def test_the_defaults_of_a_meta_template_are_filled_and_data_is_not_again() -> None:
    meta = {"round": [{"role": "HUMAN", "prompt": "no {q}"}, {"role": "BOT", "prompt": "{q}"}]}
    assert text({"round": [said("HUMAN", "{q}")]}, "ppl", meta) == "{q}row"


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        ("x", "must be an object, not text"),
        ({}, "needs `round`"),
        ({"round": {}}, "`round` of a meta template must be a list"),
        (
            {"round": [], "reserved_roles": "x"},
            "`reserved_roles` of a meta template must",
        ),
        ({"round": [5]}, "must be a text or have a `role`"),
        ({"round": [{"role": 5}]}, "must be a text or have a `role`"),
        ({"round": [{"role": "A"}, {"role": "A"}]}, "the role 'A' stands twice"),
        ({"round": [{"role": "A"}], "reserved_roles": [{"role": "A"}]}, "stands twice"),
    ],
)
def test_a_wrong_meta_template_is_explained(meta: Any, message: str) -> None:
    for parser in (LMParser, lambda given: APIParser(given, "opencompass")):
        with pytest.raises(TemplateError, match=message):
            parser(meta)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ({"round": [said("NOBODY", "a")]}, "has no role 'NOBODY'"),
        ({"round": [said("SYSTEM", "a")]}, "has no role 'SYSTEM'"),
        ({"round": [{"prompt": "a"}]}, "a message of `round` has no `role`"),
        ({"begin": [said("NOBODY", "a")], "round": []}, "neither the role 'NOBODY' nor a fallback"),
        ({"begin": [5], "round": []}, "a number can't be part of a dialogue"),
        ({"round": [{"role": "HUMAN", "prompt": ["x"]}]}, "must be texts, not a list"),
    ],
)
def test_a_dialogue_that_does_not_fit_is_explained(template: dict[str, Any], message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        text(template)


def test_a_base_model_needs_rounds() -> None:
    with pytest.raises(TemplateError, match="`round` of the meta template is empty"):
        text({"round": [said("HUMAN", "a")]}, meta={"round": []})
