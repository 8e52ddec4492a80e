"""What an instance file says of an earlier run, and how its rows are told by their args."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lve.messages import ToolCall


class RecordedTurn(NamedTuple):
    """A message of the model in a recorded conversation, and the reactions to it."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    results: tuple[str, ...] = ()
    """The tools' results, one per call; empty if the conversation ended with the calls."""
    user: str | None = None
    """The simulated user's reply; None if there is none."""


@dataclass(slots=True)
class Recorded:
    """The result of an earlier run, recorded in an instance file."""

    responses: tuple[str | Mapping[str, str], ...]
    """One per run: a text, or variable -> text."""
    passed: bool | None
    author: str | None = None
    run_info: Mapping[str, Any] = field(default_factory=dict)
    prompt_out: Any = None
    score: float | None = None
    turns: tuple[tuple[RecordedTurn, ...], ...] = ()
    """All messages of the model, per run. Empty if it called no tools and there was no simulated
    user: then `responses` has everything."""
    sent: tuple[str, ...] = ()
    """Hash of what was sent, per run; empty if the file has none."""
    prompt: Any = None
    """The filled prompt, in LVE's older files."""
    asked: tuple[Mapping[str, Any], ...] = ()
    """What judges and embedders answered, as in the file."""

    @property
    def is_handwritten(self) -> bool:
        """Whether a person wrote the answer, as `run_info` says."""
        return self.run_info.get("source") == "handwritten"

    @property
    def model(self) -> str | None:
        """The model that answered, by the name that it was asked by; None if a person wrote the
        answer, or the file doesn't say."""
        model = self.run_info.get("model")
        return model if isinstance(model, str) and model and not self.is_handwritten else None


def args_key(args: Mapping[str, Any]) -> str:
    """Return a text that is equal for args of the same row. Null args are ignored."""
    filled = {name: value for name, value in args.items() if value is not None}
    return json.dumps(filled, sort_keys=True, default=str)


def row_key(args: Mapping[str, Any]) -> int:
    """Return a number that is equal for args of the same row, within this process."""
    return hash(args_key(args))
