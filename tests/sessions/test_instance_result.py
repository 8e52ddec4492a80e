"""A result: each value is in the field of its name, however it is made."""

from __future__ import annotations

import ast
from dataclasses import asdict, fields
from pathlib import Path

from lve.checkers.contract import Verdict
from lve.messages import Message, Transcript, Usage
from lve.sessions.instance_result import Expense, InstanceResult, ResultRow, result_of

ROW = ResultRow("a/b", "m", "x.jsonl", 7, 2, {"k": "v"}, "failed")
EXPENSE = Expense(Usage(3, 4), 0.5, 1.5, True)
LVE = Path(__file__).parents[2] / "lve"


def transcript(text: str) -> Transcript:
    return Transcript((Message("user", "?"), Message("assistant", text)), filled=("response",))


def whole() -> InstanceResult:
    return result_of(
        ROW,
        Verdict("passed", "so", 0.25),
        (transcript("one"), transcript("two")),
        EXPENSE,
        error_kind="checker",
        judged_by="sum",
        advisory=True,
    )


def test_each_value_is_in_the_field_of_its_name() -> None:
    result = whole()
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    assert values == {
        **ROW._asdict(),
        **EXPENSE._asdict(),
        "verdict": "passed",
        "reason": "so",
        "score": 0.25,
        "responses": tuple(t.answer for t in result.transcripts),
        "transcripts": (transcript("one"), transcript("two")),
        "error_kind": "checker",
        "judged_by": "sum",
        "asked": (),
        "advisory": True,
        "sent": (),
        "unbound": False,
        "answered_by": None,
    }


def test_what_was_not_run_has_no_answers_and_took_nothing() -> None:
    result = result_of(ROW, Verdict("error", "no"), error_kind="prompt")
    assert (result.verdict, result.reason, result.error_kind) == ("error", "no", "prompt")
    assert (result.responses, result.usage, result.cost, result.cached) == (
        (),
        Usage(),
        None,
        False,
    )


def test_a_new_verdict_changes_nothing_else() -> None:
    result = whole()
    result.asked, result.sent, result.unbound, result.answered_by = (), ("h",), True, "other"
    before = asdict(result)
    again = result.judged_again(
        Verdict("failed", "not so", 0.75),
        (transcript("three"),),
        recorded="passed",
        error_kind=None,
        judged_by=None,
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
