from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.results import make_result, results

from lve.comparison import session_side as reading
from lve.comparison.side import CODES, Row, hash_args
from lve.errors import SessionError
from lve.secrets.redaction import lasting_redactor
from lve.sessions.instance_result import InstanceResult
from lve.sessions.journal.journal import Journal
from lve.sessions.journal.reading import opened_journals


def write(path: Path, *written: InstanceResult) -> None:
    journal = Journal(path)
    for result in written:
        journal.append(result)
    journal.close()


def expected(result: InstanceResult, where: int) -> Row:
    return Row(
        result.test,
        result.model,
        result.source,
        result.line,
        result.repeat,
        hash_args(result.args),
        CODES[result.verdict],
        where,
        result.advisory,
    )


def journal_rows(path: Path, warn: Callable[[str], None]) -> list[Row]:
    with opened_journals([path]) as (journal,):
        return list(reading.journal_rows(journal, warn))


def result_at(path: Path, at: int) -> InstanceResult | None:
    with opened_journals([path]) as (journal,):
        return reading.result_at(journal, at)


def refuse(text: str) -> None:
    raise AssertionError(text)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(results, max_size=3))
@example([make_result(args={"a": {"responses": [1]}, "b": None}, advisory=True)])
@example([make_result(args={"a": 2**70}), make_result(args={"a": 2**70 + 1})])
@example([make_result(reason='","args":{"a":1},"responses":[', test='x","model":"y')])
def test_rows_are_what_the_results_say(written: list[InstanceResult]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        write(path, *written)
        rows = journal_rows(path, refuse)
        assert rows == [expected(one, row.where) for one, row in zip(written, rows, strict=True)]
        assert [result_at(path, row.where) for row in rows] == written


def test_fields_in_another_order_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result())
    fields = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(fields.items()))) + "\n")
    assert journal_rows(path, refuse) == [expected(make_result(), 0)]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        "[1]",
        '{"version": 1}',
        '{"version":1,"test":"t","model":"m","source":"s","line":1,"repeat":0,'
        '"verdict":"splendid","recorded":null,"reason":"","args":{},"responses":[]}',
    ],
)
def test_a_damaged_line_is_left_out_and_counted(tmp_path: Path, line: str) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(line=1), make_result(line=2))
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{line}\n{second}\n")
    told: list[str] = []
    rows = journal_rows(path, told.append)
    assert [row.line for row in rows] == [1, 2]
    assert [result_at(path, row.where) for row in rows] == [make_result(line=n) for n in (1, 2)]
    assert told == [f"{path}:2: 1 damaged line is left out [left_out]"]


def test_a_torn_last_line_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result())
    path.write_text(path.read_text() + '{"version":1,"te')
    assert len(journal_rows(path, refuse)) == 1


def test_a_place_without_a_result_has_none(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result())
    assert result_at(path, 5) is None
    assert result_at(path, 10**9) is None


def test_a_folder_in_the_place_of_the_journal_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="can't be read"):
        journal_rows(tmp_path, refuse)


def test_null_args_are_args_that_are_not_given() -> None:
    assert hash_args({"a": 1, "b": None}) == hash_args({"a": 1}) != hash_args({"a": 2})
    assert hash_args({"a": 1, "b": 2}) == hash_args({"b": 2, "a": 1})


def test_secrets_of_now_are_taken_out_of_a_session_made_without_them(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, make_result(responses=("the key is hunter2-hunter2",)))
    lasting_redactor(["hunter2-hunter2"])
    found = result_at(path, 0)
    assert found is not None
    assert "hunter2" not in str(found.responses)
