"""How a recorded prompt is compared with that of today, and how the difference is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from prompts.recorded_prompts import ANSWER, BEFORE, SYSTEM, USER, change, loaded, said

from lve.prompts.sent_prompts import is_bound


@pytest.mark.parametrize(
    "recorded",
    [
        {"prompt_out": [*BEFORE, ANSWER]},
        {"prompt_out": [[*BEFORE, ANSWER]]},
        {"prompt_out": [*BEFORE, said("Hello", "assistant", variable=None)]},
        {"prompt_out": [*BEFORE, said("Hello", "assistant")]},
        {"prompt_out": [BEFORE[0], said("Say hello to Ann. \r\n"), ANSWER]},
        {"prompt_out": [*BEFORE, ANSWER, said("And what came later?"), ANSWER]},
        {"prompt": BEFORE},
        {"prompt": [*BEFORE, {"role": "assistant", "content": None, "variable": "x"}]},
        {"prompt": [BEFORE[0], {"content": "Say hello to Ann."}]},
    ],
)
def test_lves_own_recordings_are_compared_up_to_the_answer(
    tmp_path: Path, recorded: dict[str, Any]
) -> None:
    spec, instance = loaded(tmp_path / "a", recorded)
    assert instance.recorded is not None
    assert is_bound(instance.recorded, spec)
    assert change(tmp_path / "a", recorded) is None
    prompt = [SYSTEM, said("Say bye to {name}.")]
    assert change(tmp_path / "b", recorded, prompt=prompt) == (
        "message 2 (user): Say [-hello-]{+bye+} to Ann."
    )


def test_what_changed_is_named(tmp_path: Path) -> None:
    recorded = {"prompt_out": [*BEFORE, ANSWER]}

    def changed(name: str, *prompt: dict[str, Any]) -> str | None:
        return change(tmp_path / name, recorded, prompt=list(prompt))

    assert changed("role", said("Be brief.", "user"), USER) == (
        "message 1 has the role user now and had system"
    )
    more = changed("new", SYSTEM, USER, said("Now."))
    assert more == "message 3 (user) is new: Now."
    less = changed("gone", {**SYSTEM, "content": "Be brief. {name}"})
    assert less == "message 1 (system): Be brief.{+ Ann+}"
    only = {"prompt_out": [*BEFORE, said("x"), ANSWER]}
    assert change(tmp_path / "less", only) == "message 3 (user) is gone: x"
