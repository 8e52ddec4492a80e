"""A result: each value is in the field of its name, however it is made."""

from __future__ import annotations

import ast
from dataclasses import asdict, fields, replace
from pathlib import Path

from lve.checkers.contract import Verdict
from lve.errors import UnexpectedError
from lve.messages import Message, Transcript, Usage
from lve.sessions.instance_result import InstanceResult, Judged, result_of
from lve.spec.spec import Instance

INSTANCE = Instance({"k": "v"}, {"k": "v"}, {}, "x.jsonl", 7)
LVE = Path(__file__).parents[2] / "lve"


def transcript(text: str) -> Transcript:
    return Transcript((Message("user", "?"), Message("assistant", text)), filled=("response",))


def whole() -> InstanceResult:
    verdict = Verdict("passed", "so", 0.25)
    judged = Judged(verdict, (transcript("one"), transcript("two")), "checker", "sum")
    totals = (Usage(3, 4), 1.5, True)
    return result_of("a/b", "m", INSTANCE, 2, "failed", judged, totals, 0.5, True)


def test_each_value_is_in_the_field_of_its_name() -> None:
    result = whole()
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    assert values == {
        "test": "a/b",
        "model": "m",
        "source": "x.jsonl",
        "line": 7,
        "repeat": 2,
        "args": {"k": "v"},
        "recorded": "failed",
        "usage": Usage(3, 4),
        "cost": 0.5,
        "latency_s": 1.5,
        "cached": True,
        "verdict": "passed",
        "reason": "so",
        "score": 0.25,
        "responses": tuple(t.answer for t in result.transcripts),
        "transcripts": (transcript("one"), transcript("two")),
        "error_kind": "checker",
        "judged_by": "sum",
        "row": None,
        "asked": (),
        "advisory": True,
        "sent": (),
        "unbound": False,
        "answered_by": None,
        "cause": None,
        "variant": None,
        "labels": None,
        "parts": None,
    }


def test_a_new_verdict_changes_nothing_else() -> None:
    result = whole()
    result.asked, result.sent, result.unbound, result.answered_by = (), ("h",), True, "other"
    before = asdict(result)
    again = result.judged_again(
        Judged(Verdict("failed", "not so", 0.75), (transcript("three"),)),
        recorded="passed",
        advisory=False,
    )
    assert asdict(result) == before, "the old one stays as it is"
    changes = {name: value for name, value in asdict(again).items() if value != before[name]}
    assert changes.keys() == {
        *("verdict", "reason", "score", "transcripts", "responses"),
        *("recorded", "error_kind", "judged_by", "advisory"),
    }
    assert (again.verdict, again.reason, again.score) == ("failed", "not so", 0.75)
    assert again.responses == (transcript("three").answer,)
    assert (again.recorded, again.error_kind, again.judged_by) == ("passed", None, None)
    assert again.advisory is False


def test_results_are_filled_by_position_in_one_place_only() -> None:
    places = [
        path.name
        for path in LVE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "InstanceResult"
        and node.args
    ]
    assert places == ["instance_result.py"]


def test_the_key_of_a_row_is_that_of_its_instance() -> None:
    verdict, nothing = Judged(Verdict("passed", "so"), ()), (Usage(), 0.0, False)
    row = replace(INSTANCE, row=11)
    result = result_of("a/b", "m", row, 0, None, verdict, nothing, None, False)
    assert result.row == 11
    assert result.without_verdict(UnexpectedError("crashed")).row is None  # it has no args either
