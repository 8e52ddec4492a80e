"""What differs where only the sums of its parts are recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from prompts.recorded_prompts import BEFORE, SYSTEM, USER, change, hashes, said

from lve.prompts.sent_parts import changed_parts

TOOL = {"name": "weather", "description": "Tells it.", "parameters": {"type": "object"}}
OPEN = {"role": "assistant", "variable": "first"}
CHAT = [SYSTEM, USER, OPEN, said("And {name}?"), {"role": "assistant", "variable": "last"}]
SCHEMA = {"output_schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ({"prompt": CHAT}, {"prompt": [*CHAT[:3], said("Why {name}?"), CHAT[4]]},
         "message 4 (user) differs"),
        ({"prompt": CHAT}, {"prompt": [*CHAT[:3], {**CHAT[3], "role": "system"}, CHAT[4]]},
         "message 4 has the role system now and had user"),
        ({"prompt": CHAT}, {"prompt": CHAT[:3]}, "message 4 (user) is gone"),
        ({"prompt": CHAT[:3]}, {"prompt": CHAT}, "message 4 (user) is new"),
        ({}, {"prompt": [SYSTEM, {**USER, "content": "Bye {name}."}]}, "message 2 (user) differs"),
        ({}, {"tools": [TOOL]}, "the tool 'weather' is new"),
        ({"tools": [TOOL]}, {}, "the tool 'weather' is gone"),
        ({"tools": [TOOL]}, {"tools": [{**TOOL, "description": "Guesses."}]},
         "the tool 'weather' differs"),
        ({}, SCHEMA, "the output schema is new"),
        (SCHEMA, {"output_schema": {"type": "object", "required": ["a"]}},
         "the output schema differs"),
        ({"tools": [TOOL], **SCHEMA}, {"tools": [{**TOOL, "description": "Guesses."}]},
         "the tool 'weather' differs; the output schema is gone"),
    ],
)  # fmt: skip
def test_the_part_that_differs_is_named_although_only_sums_are_kept(
    tmp_path: Path, before: dict[str, Any], now: dict[str, Any], expected: str
) -> None:
    sent = hashes(tmp_path / "a", **before)
    assert change(tmp_path / "b", {"sent": [*sent]}, **before) is None
    assert change(tmp_path / "c", {"sent": [*sent]}, **now) == expected


def test_what_was_recorded_without_sums_of_parts_stays_bound(tmp_path: Path) -> None:
    (sent,) = hashes(tmp_path / "a")
    whole, *parts = sent.split(" ")
    assert parts[0].startswith("message:system=")
    assert change(tmp_path / "b", {"sent": whole}) is None
    other = {"prompt": [SYSTEM, {**USER, "content": "Bye {name}."}]}
    assert change(tmp_path / "c", {"sent": whole}, **other) == (
        "what was sent isn't kept, only its hash, which differs"
    )


@pytest.mark.parametrize("has_parts", [True, False])
def test_a_message_after_an_answer_is_shown_word_by_word(tmp_path: Path, has_parts: bool) -> None:
    (sent,) = hashes(tmp_path / "a", prompt=CHAT)
    answers = [
        said(text, "assistant", variable=name) for name, text in (("first", "Hi"), ("last", "No"))
    ]
    kept = [*BEFORE, answers[0], said("And Ann?"), answers[1]]
    recorded = {"sent": sent if has_parts else sent.split(" ")[0], "prompt_out": kept}
    assert change(tmp_path / "b", recorded, prompt=CHAT) is None
    changed = [*CHAT[:3], said("And what, {name}?"), CHAT[4]]
    assert change(tmp_path / "c", recorded, prompt=changed) == (
        "message 4 (user): And {+what, +}Ann?"
    )


def test_only_the_first_messages_have_sums_of_their_own(tmp_path: Path) -> None:
    many = [said(f"{number} {{name}}") for number in range(120)]
    sent = hashes(tmp_path / "a", prompt=many)
    assert sent[0].count("message:") == 100
    later = [*many[:110], said("other {name}"), *many[111:]]
    assert change(tmp_path / "b", {"sent": [*sent]}, prompt=later) == (
        "a message after the first 100 differs"
    )


@pytest.mark.parametrize(
    "forged", ["", "sha256:0 =", "sha256:0 message", "a b=c tool:%zz=1 :=", "x " * 9]
)
def test_forged_sums_tell_nothing_and_break_nothing(forged: str) -> None:
    assert isinstance(changed_parts(forged, "sha256:1 message:user=12345678"), str)
