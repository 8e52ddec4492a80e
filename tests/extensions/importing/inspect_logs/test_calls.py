"""What becomes of each kind of value in a sample of a log: results, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.recorded_calls import Calls, changed, grid, in_folder, record, rows_of, said

from lve.extensions.importing.groups import MAX_GROUPS, GroupScore, Memberships
from lve.extensions.importing.inspect_logs import session
from lve.extensions.importing.inspect_logs.session import import_log
from lve.sessions.instance_result import InstanceResult

EVAL = {"task": "caps", "model": "openai/m", "packages": {"inspect_ai": "0.3"}}
CALL = {"id": "c1", "function": "look", "arguments": {"at": "it"}}
TALK = (
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "See:"}, {"type": "image"}, "odd"]},
    {"role": "assistant", "content": "", "tool_calls": [CALL, {"id": None}, "odd"]},
    {"role": "tool", "content": "a cat", "tool_call_id": "c1"},
    {"role": "assistant", "content": [{"type": "text", "text": "A cat."}]},
    {"role": "user", "content": "Thanks."},
)
PLAIN: dict[str, Any] = {
    "id": "a", "epoch": 1, "target": ["Paris", 7], "messages": list(TALK), "total_time": 0.5,
    "metadata": {"k": 1, "deep": {"x": 1}, "t": "x", "b": True},
    "scores": {"match": {"value": "C"}},
    "model_usage": {"m": {"input_tokens": 3, "output_tokens": 2}, "n": {"input_tokens": 4}},
    "output": {"model": "m-1", "choices": [{"stop_reason": "stop"}], "time": 0.25},
}  # fmt: skip
CHANGES: tuple[dict[str, Any], ...] = (
    {},
    *({"messages": messages} for messages in (None, [], ["odd"], TALK[:2], TALK[2:3], TALK[4:])),
    *({"messages": [{"role": role, "content": "x", "tool_call_id": 7}, TALK[4]]}
      for role in ("tool", "odd", None)),
    *({"output": output} for output in (
        None, {}, {"choices": [], "time": -1}, {"choices": ["odd"], "time": True, "model": ""},
        {"choices": [{"stop_reason": None}], "time": 1e9}, {"time": 1e9 - 1, "model": 7},
    )),
    *({"model_usage": usage} for usage in (
        None, {}, {"m": None}, {"m": {"input_tokens": -1, "output_tokens": True}},
        {"m": {"input_tokens": 0, "output_tokens": 1.5}},
    )),
    *({"epoch": epoch} for epoch in (None, 0, 1, 3, True, "2")),
    *({"target": each} for each in (None, "x", [7], {"a": 1})),
    *({"error": error} for error in ({"message": "it broke"}, {"message": ""}, {}, "x")),
    {"scores": {}},
    {"scores": {"a": {"value": "C"}, "b": {"value": {"x": 1}}, "c/": {"value": 0.5}}},
    {"id": None, "metadata": None, "total_time": "x"},
)  # fmt: skip
VALUES = (
    "C",
    "P",
    "I",
    "N",
    "x",
    "",
    None,
    True,
    False,
    0,
    1,
    0.5,
    0.999,
    1.5,
    -1,
    [1],
    {"a": 1},
    10**400,
)
SCORES: tuple[dict[str, Any], ...] = ({}, {"explanation": "so"}, {"explanation": ""})
NAMES = (None, "", "a b", "../x/./y.", "a//b", "-.-", "ä" * 120, "x" * 120, 7)
MOMENTS = (
    None,
    "2026-11-28T10:00:00",
    "2026-11-28T10:00:00.5+01:00",
    "2026-11-28",
    "x2026-11-28T10:00:00",
)
HEADERS: tuple[dict[str, Any], ...] = (
    {"status": "success", "stats": {"started_at": "2026-11-28T10:00:00Z"}},
    {"status": "cancelled"},
    {"status": "error"},
    {"eval": {**EVAL, "dataset": {"sample_ids": ["b", "a"]}}},
    {"eval": {**EVAL, "scorers": [{"name": "match"}]}},
    {"eval": {**EVAL, "scorers": [{"name": "match"}, {"name": "other"}]}},
    {"eval": {"task": "x y", "model": None, "packages": None, "dataset": {"sample_ids": 7}}},
)


def imported(header: dict[str, Any], *samples: dict[str, Any]) -> object:
    """Return what a log becomes: its results, what the session says of itself, and the losses."""
    log = {"eval": EVAL, "status": "success", **header, "samples": list(samples)}

    def work(folder: Path) -> list[object]:
        made, losses = import_log(folder / "log.json", folder / "made")
        info = made.info()
        about = {name: info.get(name) for name in ("status", "started", "ended", "models")}
        versions = info["versions"]["inspect_ai"]
        results = [field for result in made.results() for field in shown(result)]
        return [*results, about, versions, losses]

    return in_folder({"log.json": json.dumps(log)}, work)


def shown(result: InstanceResult) -> list[str]:
    """Return the fields of a result that aren't empty."""
    fields = {name: getattr(result, name) for name in InstanceResult.__slots__}
    named = {name: value for name, value in fields.items() if value not in (None, (), False, "")}
    named["transcripts"] = [part for run in result.transcripts for part in run.messages]
    named["completions"] = [part for run in result.transcripts for part in run.completions]
    return [f"{name}: {said(value)}" for name, value in named.items()]


def of_sample(changes: dict[str, Any]) -> object:
    return imported({}, {**PLAIN, **changes})


def of_header(header: dict[str, Any]) -> object:
    bare: dict[str, Any] = {"messages": [], "output": None, "model_usage": None, "metadata": None}
    rows = (
        {"id": "a"},
        {"id": "b", "epoch": 2},
        {"id": "a"},
        {"id": "c", "error": {"message": "no"}},
    )
    scored = {"match": {"value": 2.5}}
    return imported(header, *({**PLAIN, **bare, "scores": scored, **row} for row in rows))


def groups(number: int, tests: int) -> object:
    """Return what each of some scores of groups says, and what a test gets of them."""
    own = Memberships()
    homes = {f"t/{n}": "pass rate" for n in range(tests)}
    scores = [
        GroupScore(f"g{n}", "acc", homes, {"by_size": True}, {"t/0": n}) for n in range(number)
    ]
    told = [own.add(score) for score in scores]
    keys: Any = own.keys_of("t/0").get("groups", ())
    others = own.keys_of("other"), own.keys_of("t/1") == own.keys_of("t/0")
    return len(keys), [*keys[:1]] if tests < 9 else None, {*told}, others


def all_calls() -> Calls:
    return {
        **grid(session._verdict, VALUES, SCORES),
        **grid(session._name, NAMES),
        **grid(session._moment, MOMENTS),
        **grid(session._seconds, (None, True, 0, -0.1, 0.5, 7, 1e9, "1")),
        **grid(of_sample, CHANGES),
        **grid(of_header, HEADERS),
        **rows_of(
            groups,
            [(0, 1), (1, 2), (MAX_GROUPS, 1), (MAX_GROUPS + 1, 2), (1, 500), (1, 501), (2, 400)],
        ),
    }


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("inspect_logs", all_calls()) == {}


if __name__ == "__main__":
    record("inspect_logs", all_calls())
