"""The check for SQL."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.judging import judge_answers, judge_of

from lve.errors import SpecError

pytest.importorskip("sqlglot")


@pytest.mark.parametrize(
    "answer",
    [
        "WITH a AS (SELECT 1 AS x) SELECT * FROM a",
        "BEGIN; UPDATE t SET a = 1 WHERE b = 2; COMMIT",
        "CREATE TABLE t (a INT PRIMARY KEY)",
        "INSERT INTO t VALUES (1, 'x')",
        "(SELECT 1) UNION (SELECT 2)",
        "-- the newest\nSELECT max(a) FROM t",
        "Here you are:\n```sql\nSELECT a FROM t\n```\nIt reads a.",
    ],
)
def test_statements(answer: str, tmp_path: Path) -> None:
    judge = judge_of({"is_sql": True}, tmp_path)
    try:
        assert judge_answers(judge, answer).outcome == "passed", judge_answers(judge, answer).reason
    finally:
        judge.stop()


@pytest.mark.parametrize(
    "answer",
    [
        "Here is the query",
        "hello",
        "SELECT",
        "SELECT * FRM t",
        "SELECT a FROM t WHERE",
        "update me",
        "Explain it to me",
        "Select the right one",
        "-- nothing",
        "SELECT a FROM t; and that's it",
        "SELECT " + "(" * 3_000,
        "SELECT a FROM t " * 5_000,
    ],
)
def test_no_statements(answer: str, tmp_path: Path) -> None:
    judge = judge_of({"is_sql": True}, tmp_path)
    try:
        assert judge_answers(judge, answer).outcome == "failed"
    finally:
        judge.stop()


def test_dialects_differ(tmp_path: Path) -> None:
    brackets = "SELECT TOP 3 [a b] FROM [t]"
    for dialect, outcome in (("tsql", "passed"), ("postgres", "failed")):
        judge = judge_of({"is_sql": dialect}, tmp_path)
        try:
            assert judge_answers(judge, brackets).outcome == outcome
        finally:
            judge.stop()


@pytest.mark.parametrize(
    ("value", "message"), [("postgre", "did you mean `postgres`"), (False, "use {not: ")]
)
def test_mistakes_are_explained(value: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=message):
        judge_of({"is_sql": value}, tmp_path)
