"""Preparing and filling prompts."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompts.messages.message_plans import instance, make_plan

from lve.errors import PromptError


def test_messages_without_placeholders_are_shared_by_all_instances(tmp_path: Path) -> None:
    prompt = [{"role": "system", "content": "{{}}"}, {"content": "{x}"}]
    plan = make_plan(tmp_path, prompt=prompt, prompt_parameters=["x"])
    one, two = (plan.preview(instance(x=n))[0].messages for n in (1, 2))
    assert one[0] is two[0]
    assert one[0].content == "{}"


def test_an_assistant_message_is_an_answer_and_no_template(tmp_path: Path) -> None:
    said = "{x} {{x}} {nothing} {"
    prompt = [{"content": "{x}"}, {"role": "assistant", "content": said}, {"content": "more"}]
    plan = make_plan(tmp_path, prompt=prompt, prompt_parameters=["x"])
    assert plan.prompts[0].to_fill == (0,)
    messages = plan.preview(instance(x="1"))[0].messages
    assert [message.content for message in messages] == ["1", said, "more", None]


def test_parts_are_filled_in(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "What is {x}?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/{x}", "detail": "low"}},
        {"type": "image_url", "image_url": "{x}"},
    ]
    plan = make_plan(tmp_path, prompt=[{"content": parts}], prompt_parameters=["x"])
    assert plan.preview(instance(x="q"))[0].messages[0].content == (
        {"type": "text", "text": "What is q?"},
        {"type": "image_url", "image_url": {"url": "https://example.org/q", "detail": "low"}},
        {"type": "image_url", "image_url": "q"},
    )


def test_a_missing_parameter_is_reported_when_filling(tmp_path: Path) -> None:
    plan = make_plan(tmp_path, prompt=[{"content": "{x}"}], prompt_parameters=["x"])
    with pytest.raises(PromptError, match="parameter 'x' has no value"):
        plan.preview(instance())
