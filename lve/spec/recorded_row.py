"""What an instance file says of an earlier run, and how its rows are told by their args."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lve.data_classes import dataclass, field
from lve.documents.json_lines import json_writer
from lve.messages import ToolCall
from lve.named_tuples import NamedTuple

REMOVED_ROWS = "removed rows go unnoticed here without a baseline (`lve compare --save`)"
"""What neither rows nor recorded answers tell of themselves."""
_TEXT = frozenset({str})
_SIMPLE = frozenset({str, int, float, bool})
_USUAL = frozenset({"args", "response", "passed", "run_info"})
_write = json_writer(sort_keys=True, allow_nan=True, default=str)


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
    returned: tuple[Sequence[Mapping[str, Any]], ...] = ()
    """What an application returned beside each answer, per run, as in the file."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Recorded:
        """Return what an entry of an instance file records.

        Args:
            value: a valid entry with a `response`.
        """
        response = value["response"]
        if _USUAL.issuperset(value) and isinstance(response, str):  # nearly always
            return cls((response,), value.get("passed"), None, value.get("run_info") or {})
        # Positional, because this runs for every instance and keyword arguments are slower.
        return cls(
            tuple(response) if isinstance(response, list) else (response,),
            value.get("passed", value.get("is_safe")),
            value.get("author"),
            value.get("run_info") or {},
            value.get("prompt_out"),
            value.get("score"),
            _recorded_turns(value["turns"]) if "turns" in value else (),
            _sent(value["sent"]) if "sent" in value else (),
            value.get("prompt"),
            tuple(value.get("asked", ())),
            tuple(value.get("returned", ())),
        )

    @property
    def is_handwritten(self) -> bool:
        """Whether a person wrote the answer, as `run_info` says."""
        return self.run_info.get("source") == "handwritten"

    @property
    def model(self) -> str | None:
        """The model that answered, by the name that it was asked by; None if a person wrote the
        answer, or the file doesn't say."""
        if not self.run_info:
            return None
        model = self.run_info.get("model")
        return model if isinstance(model, str) and model and not self.is_handwritten else None


def _sent(hashes: str | Sequence[str]) -> tuple[str, ...]:
    return (hashes,) if isinstance(hashes, str) else tuple(hashes)


def _recorded_turns(data: Any) -> tuple[tuple[RecordedTurn, ...], ...]:
    """Return the turns of each run. A single run may have them without the outer list."""
    runs = data if data and isinstance(data[0], list) else [data]
    return tuple(tuple(map(_recorded_turn, run)) for run in runs)


def _recorded_turn(data: Mapping[str, Any]) -> RecordedTurn:
    calls = tuple(map(ToolCall.from_json, data.get("tool_calls", ())))
    return RecordedTurn(data["text"], calls, tuple(data.get("results", ())), data.get("user"))


def args_key(args: Mapping[str, object]) -> str:
    """Return a text that is equal for args of the same row. Null args are ignored."""
    return _write({name: value for name, value in args.items() if value is not None})


def row_key(args: Mapping[str, object]) -> int:
    """Return a number that is equal for args of the same row, within this process."""
    if _TEXT.issuperset(map(type, args.values())):  # nearly always
        return hash(frozenset(args.items()))
    if None in args.values():
        return row_key({name: value for name, value in args.items() if value is not None})
    kinds = [*map(type, args.values())]
    if not _SIMPLE.issuperset(kinds):
        return hash(_write(args))
    return hash(frozenset(zip(args.items(), kinds, strict=True)))
