"""Messages in the short form."""

from __future__ import annotations

import pytest
import yaml

from lve.extensions.modernizing.edits import Source, applied, pairs_of
from lve.extensions.modernizing.short_form import message_edits


def short(text: str) -> str:
    groups = message_edits(
        Source(text, is_json=False), pairs_of(yaml.compose(text, yaml.SafeLoader))
    )
    return applied(text, [edit for group in groups for edit in group])


@pytest.mark.parametrize(
    ("message", "shorter"),
    [
        ("{role: user, content: a}", "{user: a}"),
        ("{content: a}", "{user: a}"),
        ("{content: a, role: system}", "{system: a}"),
        ("{role: assistant, content: a, variable: null}", "{assistant: a, variable: null}"),
        ("{role: user, content: a, image: b.png}", "{user: a, image: b.png}"),
        ("{content: [{type: text, text: a}]}", "{user: [{type: text, text: a}]}"),
    ],
)
def test_a_role_becomes_the_key_of_the_text(message: str, shorter: str) -> None:
    assert short(f"prompt: [{message}, {{user: z}}]\n") == f"prompt: [{shorter}, {{user: z}}]\n"


@pytest.mark.parametrize(
    "message",
    [
        "{role: tool, content: a}",
        "{role: assistant, variable: a}",
        "{role: assistant, content: null, variable: a}",
        "{role: assistant, content: ~}",
        "{user: a}",
        "{image: a.png}",
    ],
)
def test_other_messages_stay(message: str) -> None:
    text = f"prompt: [{message}, {{user: z}}]\n"
    assert short(text) == text


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("[{role: user, content: a}]", "a"),
        ("[{user: 'a: b'}]", "'a: b'"),
        ("\n  - content: a\n    role: user", "a"),
        ("\n  - role: user\n    content: |\n      a\n      b", "|\n      a\n      b"),
        ("\n  - {content: a}", "a"),
    ],
)
def test_one_message_of_the_user_becomes_its_text(prompt: str, text: str) -> None:
    assert short(f"prompt: {prompt}\ntags: []\n") == f"prompt: {text}\ntags: []\n"
    assert short(f"prompts:\n  x: {prompt}\n").startswith(f"prompts:\n  x: {text}")


@pytest.mark.parametrize(
    "prompt",
    [
        "[{system: a}]",
        "[{user: a, image: b.png}]",
        "[{user: [{type: text, text: a}]}]",
        "# why\n  - user: a",
    ],
)
def test_a_prompt_that_says_more_stays(prompt: str) -> None:
    text = f"prompt: {prompt}\n"
    assert short(text) == text


def test_runs_and_variants_have_prompts_too() -> None:
    text = "multi_run_prompt: {prompt: [{content: a}]}\nprompts: {x: {prompt: [{content: b}]}}\n"
    assert short(text) == "multi_run_prompt: {prompt: a}\nprompts: {x: {prompt: b}}\n"
