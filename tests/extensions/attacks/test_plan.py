"""What an attack changes in a prompt, and what not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.attacks.codeword import REQUEST, vault, verdicts
from support.command_line import call

from lve.extensions.attacks.by_name import MAX_TEXT, attacked


def sent(root: Path, attack: str, **document: Any) -> list[tuple[str, Any]]:
    """Return the messages that an attack sends, without the open turns."""
    vault(root, attacks=document.pop("attacks", [attack]), **document)
    rendered = json.loads(call("render", "t", "--prompts", attack, "--json")[1])
    (run,) = rendered["tests"][0]["instances"][0]["runs"]
    messages = run["messages"]
    return [(m["role"], m["content"]) for m in messages if m["content"] is not None]


def test_the_last_text_of_the_user_before_the_first_answer_is_changed(root: Path) -> None:
    prompt = [
        {"system": "Be kind."},
        {"user": "Hi"},
        {"assistant": "Hello!"},
        {"user": "{request}"},
        {"role": "assistant", "content": None, "variable": "first"},
        {"user": "Sure?"},
    ]
    assert sent(root, "rot13", prompt=prompt) == [
        ("system", "Be kind."),
        ("user", "Hi"),
        ("assistant", "Hello!"),
        ("user", attacked(REQUEST, "rot13")),
        ("user", "Sure?"),
    ]


def test_a_parameter_alone_is_changed(root: Path) -> None:
    row = {"request": REQUEST, "task": "Sum it up"}
    changed = sent(
        root,
        "document",
        attacks={"names": "document", "parameter": "request"},
        prompt=[{"user": "{task}: {request}"}],
        prompt_parameters=["request", "task"],
        dataset=[row],
    )
    assert changed == [("user", f"Sum it up: {attacked(REQUEST, 'document')}")]


def test_texts_of_parts_are_changed_and_images_stay(root: Path) -> None:
    (root / "t").mkdir()
    (root / "t" / "red.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    parts = [{"type": "text", "text": "{request}"}, {"type": "image", "image": "red.png"}]
    ((_, content),) = sent(root, "hex", prompt=[{"role": "user", "content": parts}])
    assert content[0]["text"] == attacked(REQUEST, "hex")
    assert "text" not in content[1]


def test_checks_see_the_row_as_it_is(root: Path) -> None:
    vault(root, {attacked(REQUEST, "base64"): REQUEST}, check={"equals": "{request}"})
    call_of = ("run", "t", "-m", "mine", "--attacks", "base64", "--prompts", "base64")
    assert verdicts(*call_of) == {"t@base64": (1, 0)}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"prompt": [{"system": "Be kind."}]}, "no text of a user for an attack to change"),
        ({"prompt": "x" * (MAX_TEXT + 1)}, f"has {MAX_TEXT + 1:,} characters; attacks change at"),
        (
            {
                "attacks": {"names": ["hex"], "parameter": "request"},
                "dataset": [{"other": "x"}],
                "prompt": "Hi",
                "prompt_parameters": None,
            },
            "the row has no value for `request`, which attacks change",
        ),
        (
            {"attacks": ["rot13"], "prompt": "1 + 1 = ?"},
            "rot13 isn't tried on this row: it leaves the text as it is",
        ),
        ({"attacks": ["rot13+rot13"]}, "isn't tried on this row: it leaves the text as it is"),
        (
            {"attacks": ["morse"], "prompt": "\u4f60\u597d, OK"},
            "no signs for 2 of the text's 4 letters: \u4f60\u597d",
        ),
        (
            {"attacks": ["unicode_tags"], "prompt": "\u4f60?"},
            "no signs for 1 of the text's 1 letters",
        ),
        (
            {"attacks": ["binary+binary+binary+binary"], "prompt": "x" * 4000},
            "attacks change at most 200,000",
        ),
    ],
)
def test_what_cannot_be_attacked_is_an_error_of_the_row(
    root: Path, document: dict[str, Any], message: str
) -> None:
    document = {"attacks": ["hex"], **document}
    vault(root, **document)
    attack = dict(document)["attacks"]
    (name,) = attack["names"] if isinstance(attack, dict) else attack
    code, shown, _ = call("run", "t", "-m", "mine", "--prompts", name)
    assert message in " ".join(shown.split())
    assert (code, "0/1 passed, 1 error" in shown) == (3, True)


def test_a_part_that_stays_as_it_is_does_not_keep_the_others(root: Path) -> None:
    parts = [{"type": "text", "text": "1:"}, {"type": "text", "text": "{request}"}]
    ((_, content),) = sent(root, "rot13", prompt=[{"role": "user", "content": parts}])
    assert [part["text"] for part in content] == ["1:", attacked(REQUEST, "rot13")]


def test_templates_of_data_sets_are_not_attacked(root: Path) -> None:
    vault(
        root,
        prompt=None,
        prompt_parameters=None,
        dataset=[{"q": "a", "a": "b"}],
        reader_cfg={"input_columns": ["q"], "output_column": "a"},
        infer_cfg={
            "prompt_template": {"type": "PromptTemplate", "template": "{q}"},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer"},
        },
        attacks=["hex"],
    )
    shown = call("run", "t", "-m", "mine", "--prompts", "hex")[1]
    assert "attacks change prompts of lve's own and prompt objects, not `infer_cfg`" in shown


def test_render_shows_attacks_of_the_command_line(root: Path) -> None:
    vault(root)
    shown = call("render", "t", "--attacks", "hex")[1]
    assert "t/test.json (hex)" in shown
    assert attacked(REQUEST, "hex") in shown
