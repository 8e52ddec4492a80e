"""Pass rates by column and tag: equal to what SQL finds in the session's own file."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.recorded import session_folder
from support.results import make_result

from lve.extensions.breakdown.rates import rate_tables
from lve.sessions.session_tests import SessionTest
from lve.spec.spec import Expectation
from lve.verdicts.rates.statistics import pass_rate
from lve.verdicts.recorded_session import RecordedSession

TEST = """
description: triage
model: openai/m
prompt: "Label {name}: {text}"
prompt_parameters: [name, text]
tags: [{name: severity, value: high}, {name: team, value: red}]
check: {contains: "{text}"}
"""
SUITE = "by: [topic, severity]\n"
TOPICS = ("billing", "LLM01", "", True, 7, None, "bill'ing")
SQL = """
SELECT coalesce(json_extract(body, '$.args.' || ?), '(none)') AS value,
  sum(json_extract(body, '$.verdict') = 'passed'),
  sum(json_extract(body, '$.verdict') IN ('passed', 'failed')),
  sum(json_extract(body, '$.verdict') = 'error')
FROM results GROUP BY value ORDER BY value"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a test of 60 recorded rows, below a suite that says `by`."""
    folder = tmp_path / "tests/triage/instances"
    folder.mkdir(parents=True)
    (tmp_path / "lve.yaml").write_text("{}")
    (tmp_path / "tests/suite.yaml").write_text(SUITE)
    (folder.parent / "test.yaml").write_text(TEST)
    lines = []
    for number in range(60):
        args: dict[str, Any] = {"name": f"n{number % 4}", "text": f"t{number % 9}"}
        topic = TOPICS[number % len(TOPICS)]
        if topic is not None:
            args["topic"] = topic
        answer = args["text"] if number % 3 else "no"
        line = {"args": args, "response": answer, "run_info": {"model": "openai/m"}}
        lines.append(json.dumps(line) + "\n")
    (folder / "m.jsonl").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sql_rates(workspace: Path, column: str) -> list[tuple[str, int, int, int]]:
    [journal] = workspace.glob(".lve/runs/*/results.jsonl")
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE results (body TEXT)")
    lines = journal.read_text(encoding="utf-8").splitlines()
    database.executemany("INSERT INTO results VALUES (?)", [(line,) for line in lines])
    return database.execute(SQL, (column,)).fetchall()


def rates_of(summary: dict[str, Any], name: str) -> list[tuple[str, int, int, int]]:
    [table] = [table for table in summary["by"] if table["by"] == name]
    return [(v["value"], v["passed"], v["judged"], v["errors"]) for v in table["values"]]


def test_the_rates_are_those_of_sql_over_the_results(workspace: Path) -> None:
    printed = lve(
        "run", "tests", "--model", "replay", "--json", "-o", "x.json", "-o", "x.md", code=1
    )
    summary = json.loads(printed.stdout)["summary"]
    expected = [
        ("true" if value == 1 else str(value), *n) for value, *n in sql_rates(workspace, "topic")
    ]
    assert len(expected) == len(TOPICS)
    assert sorted(rates_of(summary, "topic")) == sorted(expected)
    total = [sum(counts) for counts in zip(*(n for _, *n in expected), strict=True)]
    assert rates_of(summary, "severity") == [("high", *total)]
    of_file = json.loads((workspace / "x.json").read_text())["sessions"][0]["summary"]
    assert of_file["by"] == summary["by"]
    for value in summary["by"][0]["values"]:
        rate = pass_rate(value["passed"], value["judged"])
        assert (value["low"], value["high"]) == (rate.low, rate.high)
    markdown = (workspace / "x.md").read_text()
    assert "**By `topic`**, `replay`" in markdown
    assert "`LLM01 Prompt Injection`" in markdown


def test_a_session_can_be_counted_by_another_column_later(workspace: Path) -> None:
    lve("run", "tests", "--model", "replay", code=1)
    shown = json.loads(lve("show", "last", "--by", "name", "--json").stdout)["summary"]
    assert [table["by"] for table in shown["by"]] == ["name"]
    assert rates_of(shown, "name") == sql_rates(workspace, "name")
    text = lve("show", "last", "--by", "name").stdout
    assert "by name, replay: pass rates (95 % intervals)\n    n0 " in text
    assert "no row has such a column" in lve("show", "last", "--by", "nmae").stdout
    assert "needs a session" in str(lve("show", "tests", "--by", "name", code=2).exception)


@pytest.mark.parametrize("place", ["settings", "test"])
def test_every_place_may_say_by_what_to_count(workspace: Path, place: str) -> None:
    (workspace / "tests/suite.yaml").write_text("repeats: 1\n")
    if place == "settings":
        (workspace / "lve.yaml").write_text("by: [topic, severity]\n")
    else:
        document = workspace / "tests/triage/test.yaml"
        document.write_text(document.read_text() + SUITE)
    summary = json.loads(lve("run", "tests", "--model", "replay", "--json", code=1).stdout)[
        "summary"
    ]
    assert [table["by"] for table in summary["by"]] == ["topic", "severity"]


def test_a_test_wins_over_its_suite_and_that_over_the_settings(workspace: Path) -> None:
    (workspace / "lve.yaml").write_text("by: [name]\n")
    summary = json.loads(lve("run", "tests", "--model", "replay", "--json", code=1).stdout)[
        "summary"
    ]
    assert [table["by"] for table in summary["by"]] == ["topic", "severity"]


def test_a_row_wins_over_the_tag_of_its_test(tmp_path: Path) -> None:
    test = SessionTest("a", "m", tags=(("severity", "high"),), by=("severity",))
    rows = [{"severity": "low"}, {}, {"severity": ["x"]}]
    results = [
        make_result(test="a", model="m", line=n, args=args) for n, args in enumerate(rows, 1)
    ]
    with RecordedSession.of(session_folder(tmp_path, results, [test])) as session:
        [table] = rate_tables(session.summary)
    assert [each.value for each in table.sorted_values] == ['["x"]', "high", "low"]


def test_repeats_that_are_alike_count_once_for_the_interval(tmp_path: Path) -> None:
    expect = Expectation(has_alike_repeats=True)
    test = SessionTest("a", "m", by=("topic",), expect=expect)
    results = [
        make_result(test="a", model="m", line=line, repeat=repeat, args={"topic": "x"})
        for line in range(1, 5)
        for repeat in range(10)
    ]
    with RecordedSession.of(session_folder(tmp_path, results, [test])) as session:
        [table] = rate_tables(session.summary)
    [value] = table.sorted_values
    assert (value.passed, value.judged) == (40, 40)
    assert value.interval == (pass_rate(4, 4).low, 1.0)
