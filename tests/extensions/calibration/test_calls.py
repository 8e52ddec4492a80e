"""Label files, measures of agreement and what is said of them: each kind of line and of table."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from extensions.calibration.labels import judged_labels
from support.folders import workspace
from support.recorded_calls import Calls, changed, grid, in_folder, record, rows_of
from support.results import make_result

from lve.checkers.questions import Answer
from lve.documents.read import DocumentPosition
from lve.errors import LveError
from lve.extensions.calibration import calibration_text, check_status, label_targets, labels
from lve.extensions.calibration import record as records
from lve.extensions.calibration.calibration_text import Report
from lve.extensions.calibration.confusion import Confusion, kappa_interval
from lve.extensions.calibration.judging import JudgedLabels
from lve.extensions.calibration.measure import (
    JudgedLabel,
    Measurement,
    calibration_content,
    measure,
)
from lve.messages import Completion
from lve.settings.settings import Floor
from lve.spec.settings_file import load_workspace
from lve.spec.spec import CheckerConfig

TABLES = (
    (0, 0, 0, 0), (9, 0, 0, 0), (0, 0, 0, 9), (9, 1, 0, 0), (0, 9, 1, 0), (5, 0, 0, 5),
    (20, 5, 10, 15), (1, 7, 9, 2), (0, 5, 6, 0), (3, 1, 0, 96),
)  # fmt: skip
SESSION = {"source": "instances/x.jsonl", "line": 3, "test": "t", "model": "m"}
ANSWER = {"args": {"q": 1}, "response": "x"}
LINES: tuple[dict[str, Any], ...] = (
    {"label": "passed"},
    {"label": "passed", "response": "x"},
    {"label": "failed", **ANSWER, "author": "ann", "comment": "no", "test": "t", "check": "judge"},
    {"label": "failed", "response": ["x", {"v": "y"}], "reference": [1]},
    {"label": "passed", "response": "x", "id": "row 1"},
    {"label": "right", "response": "x"},
    {"label": "right", **SESSION},
    {"label": "wrong", **SESSION, "repeat": 2},
    {"label": "passed", **SESSION, **ANSWER},
    {"label": "good", "response": "x"},
    {"label": "passed", "response": "x", "rows": 1},
)
REPEATS: tuple[tuple[dict[str, Any], ...], ...] = (
    ({}, {}),
    ({"author": "ann"}, {"author": "ann"}),
    ({"author": "ann"}, {"author": "bob"}),
    ({"author": "ann"}, {"author": "ann", "label": "failed"}),
    ({}, {"label": "failed"}, {"response": "y"}, {"args": {"q": 2}}),
)
CHECKS = (
    *("{refusal: true}", "refusal", "judge", "contains", "refusl", "{refusl: true}", "no such"),
    *("a/b", "a/{b}", "{a: [", "[1]", "12", "{contains: x, equals: y}", "{judge: polite}"),
)  # fmt: skip
POSITION = DocumentPosition(Path("t.yaml"), ())
BINDING = records.Binding("t", "judge", "0" * 64, "openai/j", "1.0")
BINDINGS = (
    BINDING,
    BINDING._replace(sha256="1" * 64),
    BINDING._replace(judge=None),
    BINDING._replace(judge=None, sha256="1" * 64, lve="2.0"),
    BINDING._replace(judge="n", lve="2.0"),
)
FLOORS = (
    Floor(),
    Floor(0.5, 0.5, 0.5, 10),
    Floor(kappa=0.75),
    Floor(tpr=0.75001),
    Floor(tnr=0.9, labels=12),
    Floor(labels=11),
)
CALIBRATIONS = (
    records.Calibration(BINDING, 0.75, 0.75, 0.5, 11.9, 12.0, 40),
    records.Calibration(BINDING, None, None, 0.95, 0.0, 30.0, 30, ("m-1",)),
    records.Calibration(BINDING, 0.4, 1.0, None, 1.0, 0.0, 1),
)


def read(*rows: Mapping[str, Any] | str) -> object:
    """Return the labels of a file, or its problems."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]

    def work(folder: Path) -> str:
        try:
            return "; ".join(map(str, labels.read_labels(folder / "labels.jsonl")))
        except LveError as error:
            return f"{error}"

    return in_folder({"labels.jsonl": "\n".join(lines)}, work)


def keys(row: dict[str, Any]) -> object:
    """Return what tells a label's row and answer from others, and what it says of a session's."""
    label = labels._label(row, Path("l"), 7)
    if not isinstance(label, labels.Label):
        return label
    of_session = [label.with_answer({"a": 1}, ("z",), word).word for word in ("passed", "failed")]
    return label.instance_key, label.answer_key, label.passes, of_session


def repeated(*changes: dict[str, Any]) -> object:
    rows = [
        labels._label({"label": "passed", **ANSWER, **each}, Path("l"), n)
        for n, each in enumerate(changes)
    ]
    own = [row for row in rows if isinstance(row, labels.Label)]
    return [
        f"{problem.line}: {problem.message} ({problem.hint})"
        for problem in labels.repeated_labels(own, Path("l"))
    ]


def kappa(table: tuple[int, int, int, int], confidence: float, independent: float) -> object:
    return kappa_interval(Confusion(*table), confidence=confidence, independent=independent)


def rows(table: Sequence[int], unjudged: int, per_row: int) -> list[JudgedLabel]:
    """Return judged labels, so many of a row, by two people."""
    judged = judged_labels(*table)
    other = make_result(verdict="error", reason="it is asleep", responses=())
    asked = tuple(
        Answer("k", role, "j", Completion("x", model=model))
        for role, model in (("judge", "j-2"), ("judge", "j-1"), ("judge", None), ("other", "o"))
    )
    several = []
    for number, row in enumerate(judged):
        args = {"n": number // per_row}
        label = replace(row.label, args=args, author=(None, "ann", "bob")[number % 3])
        is_judged = number >= unjudged
        several.append(JudgedLabel(label, replace(row.result, asked=asked) if is_judged else other))
    return several


def content(measured: Measurement) -> dict[str, Any]:
    return calibration_content(measured, BINDING, {"a": 1}, labels_sum="f" * 64, day="2026-11-22")


def measured(table: tuple[int, int, int, int], unjudged: int, per_row: int) -> list[str]:
    """Return a measurement as it is kept."""
    own = measure(rows(table, unjudged, per_row))
    said = json.loads(json.dumps(content(own)), parse_float=lambda text: f"{float(text):.6g}")
    counts = own.is_usable, own.answers, own.served, len(own.disagreements)
    return [*(f"{key}: {value}" for key, value in said.items()), str(counts)]


def told(
    table: tuple[int, int, int, int], unjudged: int, stopped_by: str | None, cost: float | None
) -> list[str]:
    """Return the report of a calibration as lines and as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        own = rows(table, unjudged, 2)
        own = [replace(row, label=replace(row.label, comment="no")) for row in own]
        target = label_targets.target_of_check(
            "{refusal: true}", [], load_workspace(workspace(Path(folder)))
        )
        found, judged = measure(own), JudgedLabels(tuple(own), unjudged * 1200, cost, stopped_by)
        file = Path("c.json") if cost is None and stopped_by is None else None
        below = ("its kappa is 0.1",) if unjudged else ()
        report = Report(target, Path("labels.jsonl"), judged, found, content(found), below, file)
        written = calibration_text.to_json(report)
        del written["calibration"]
        return [
            *calibration_text.lines(report, is_verbose=False),
            f"{len([*calibration_text.lines(report, is_verbose=True)])} lines",
            *(f"{key}: {value}" for key, value in written.items()),
        ]


def named(checks: list[str]) -> list[str]:
    configs = [CheckerConfig(name, {}, POSITION) for name in checks]
    return [records.check_name(configs, index) for index in range(len(configs))]


def file_name(test: str | None, check: str, judge: str | None) -> object:
    about = {"name": check, "sha256": "ab" * 32}
    return records._name({"test": test, "check": about, "judge": judge and {"model": judge}})


def all_calls() -> Calls:
    cases = ((20, 5, 10, 15), (9, 0, 0, 0), (0, 3, 0, 21), (1, 30, 2, 1))
    calls = {
        **rows_of(read, [(line,) for line in LINES]),
        **rows_of(read, [("{",), ("",), ("\n\n", LINES[1]), (LINES[0], LINES[1], LINES[9])]),
        **grid(keys, LINES),
        **rows_of(repeated, REPEATS),
        **grid(kappa, TABLES, (0.95, 0.5), (1.0, 0.3, 0.01)),
        **grid(label_targets._check_in, CHECKS),
        **grid(records.changes, BINDINGS, BINDINGS),
        **grid(named, (["a"], ["a", "a", "b", "a"])),
        **grid(file_name, (None, "t/ü x", "a" * 90), ("judge-2",), (None, "openai/j")),
        **grid(check_status.below_floor, CALIBRATIONS, FLOORS),
    }
    for table, unjudged, per_row in product(cases, (0, 1, 2, 3), (1, 5)):
        name = f"measured {table} {unjudged} {per_row}"
        calls |= {f"{name} {n}": each for n, each in enumerate(measured(table, unjudged, per_row))}
    for table, (unjudged, why, cost) in product(
        cases, ((0, None, None), (1, None, 0.25), (3, "the budget", 1.0), (40, None, 0.0))
    ):
        lines = told(table, unjudged, why, cost)
        calls |= {f"told {table} {unjudged}, {n}": each for n, each in enumerate(lines)}
    return calls


def test_each_call_returns_what_is_recorded() -> None:
    assert changed("calibration", all_calls()) == {}


if __name__ == "__main__":
    record("calibration", all_calls())
