"""The question that is asked if the model can't score labels."""

from __future__ import annotations

from typing import Any

from lve.extensions.opencompass.dialogue import Mark
from lve.extensions.opencompass.inferencers.rating import shared_beginning

OPEN, CLOSE = Mark("round", True), Mark("round", False)


def said(role: str, prompt: str) -> dict[str, Any]:
    return {"role": role, "prompt": prompt}


def test_a_round_that_is_cut_is_closed() -> None:
    prompts: list[Any] = [
        [OPEN, said("HUMAN", "q?"), said("BOT", f"It is {label}"), CLOSE] for label in "xy"
    ]
    shared = [OPEN, said("HUMAN", "q?"), said("BOT", "It is "), CLOSE]
    assert shared_beginning(prompts) == shared
    assert shared_beginning(prompts[:1]) == prompts[0]
