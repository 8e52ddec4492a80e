"""Rated texts: what a model says of the choices of a row."""

from __future__ import annotations

from typing import Any

from lve.checkers.contract import CheckContext
from lve.messages import Completion, Message, Role, Transcript


def rated(
    target: Any, choices: list[Any], logprobs: list[list[Any]], *, prompt: str = "Q:"
) -> CheckContext:
    """Return what a model says of choices: the prompt is one token, and each choice has those of
    `logprobs`, the last of which ends with the text."""
    runs = []
    for place, (choice, values) in enumerate(zip(choices, logprobs, strict=True)):
        text = choice if isinstance(choice, str) else choice["text"]
        before = prompt if isinstance(choice, str) else prompt + choice.get("before", "")
        whole = f"{before} {text}"
        bare = before.rstrip()
        tokens: list[list[Any]] = [[bare, -9.0, 0]] if bare else []
        rest, start = whole[len(bare) :], len(bare)
        for number, value in enumerate(values):
            end = 1 if number < len(values) - 1 else len(rest)
            tokens.append([rest[:end], value, start])
            rest, start = rest[end:], start + end
        messages = (Message(whole), Message("", Role.assistant))
        runs.append(Transcript(messages, (Completion("", logprobs=tokens),), str(place), (1,)))
    return CheckContext(tuple(runs), {"choices": choices}, target)
