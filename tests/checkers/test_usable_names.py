"""Names in checkers that no row has are reported before any request, by every command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test
from support.pytest_runs import against
from support.server import ModelServer, model_server

from lve.checkers.usable_names import Needs
from lve.spec.spec import Instance

CSV = "question,year\ntea?,1999\nale?,2000\n"
JSON = json.dumps([{"question": "tea?", "year": 1}, {"question": "ale?", "year": None}])
DOCUMENTS = {"rows.csv": CSV, "rows.jsonl": '{"question": "tea?", "year": 1999}\n'}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


def given(
    root: Path, checker: dict[str, Any] | None, data: Any = "rows.csv", **document: Any
) -> Path:
    """Write a test of this checker and data set, and files of rows."""
    workspace(root)
    document.setdefault("prompt", [{"role": "user", "content": "{question}"}])
    folder = write_test(
        root / "t", model="openai/m", dataset=data, checker_args=checker, **document
    )
    for name, text in {**DOCUMENTS, "rows.json": JSON}.items():
        (root / "t" / name).write_text(text, encoding="utf-8")
    return folder


REGEX = {"checker_name": "RegexChecker", "match_safe": True}
LAMBDA = {"checker_name": "LambdaChecker"}
WRONG = [
    ({**REGEX, "pattern": "^[0-9]{2,6}$"}, "\\{2,6\\} names no column of the data set"),
    ({**LAMBDA, "func": "lambda r, yaer: r == yaer"}, "'yaer' is no column .*did you mean `year`"),
    ({**LAMBDA, "func": "lambda r: r == {yaer}"}, "\\{yaer\\} names no column"),
    ({"checker_name": "ExactMatchChecker", "pattern": "{hint}"}, "\\{hint\\} names no column"),
]
SOURCES: list[Any] = [
    "rows.csv",
    "rows.jsonl",
    [{"question": "tea?", "year": 1}],
    {"path": "rows.csv", "columns": {"question": "question"}, "shuffle": True},
    {"train": "rows.csv", "test": "rows.jsonl"},
]


@pytest.mark.parametrize("data", SOURCES, ids=str)
@pytest.mark.parametrize(("checker", "said"), WRONG, ids=[said for _, said in WRONG])
def test_check_compares_names_with_columns(
    tmp_path: Path, checker: dict[str, Any], said: str, data: Any
) -> None:
    given(tmp_path, checker, data)
    code, out, _ = call("check", tmp_path)
    assert code == 2, out
    assert len(out.splitlines()) == 2, out
    assert re.search(said, out), out


@pytest.mark.parametrize(("checker", "said"), WRONG, ids=[said for _, said in WRONG])
def test_nothing_is_sent(
    tmp_path: Path, server: ModelServer, checker: dict[str, Any], said: str
) -> None:
    file = given(tmp_path, checker)
    lve("run", str(file), "--base-url", server.url, code=2)
    assert server.requests == []


def test_a_prompt_that_names_no_column_is_reported_once(
    tmp_path: Path, server: ModelServer
) -> None:
    prompt = [{"role": "user", "content": "{question} {yaer}"}]
    file = given(tmp_path, {**REGEX, "pattern": "."}, prompt=prompt)
    code, out, _ = call("check", file)
    assert code == 2
    [problem, _] = out.splitlines()
    assert "{yaer} is no column of the data set (did you mean `year`?)" in problem
    lve("run", str(file), "--base-url", server.url, code=2)


def test_pytest_collects_no_item(pytester: pytest.Pytester, server: ModelServer) -> None:
    given(pytester.path / "repository", WRONG[1][0])
    result = pytester.runpytest(*against(server.url))
    result.stdout.fnmatch_lines(["*'yaer' is no column*"])
    assert server.requests == []


def test_a_renamed_column_counts_by_its_new_name(tmp_path: Path) -> None:
    checker = {**REGEX, "pattern": "{when}"}
    given(tmp_path, checker, {"path": "rows.csv", "columns": {"when": "year"}})
    assert call("check", tmp_path)[0] == 0


def test_rows_that_take_long_to_read_are_compared_one_by_one(
    tmp_path: Path, server: ModelServer
) -> None:
    file = given(tmp_path, {**REGEX, "pattern": "{year}"}, "rows.json")
    code, out, _ = call("check", tmp_path)
    assert code == 2
    assert "rows.json:2: RegexChecker needs year: not given (given: question)" in out
    ran = lve("run", str(file), "--base-url", server.url, code=3)
    assert "RegexChecker needs year" in ran.output
    assert len(server.requests) == 1


def test_without_a_right_answer_nothing_is_sent(tmp_path: Path, server: ModelServer) -> None:
    file = given(tmp_path, {"checker_name": "AnswerChecker"})
    assert "needs the right answer (reader_cfg.output_column)" in call("check", file)[1]
    lve("run", str(file), "--base-url", server.url, code=3)
    assert server.requests == []


@pytest.mark.parametrize(
    ("reference", "lacks"), [(None, True), ([], True), ([None], True), ([None, 0], False)]
)
def test_a_list_of_nothing_is_no_right_answer(reference: object, lacks: bool) -> None:
    instance = Instance({}, {}, {}, "rows.jsonl", 1, None, reference)
    assert bool(Needs("AnswerChecker", reference=True).missing_from(instance)) is lacks


def test_where_one_checker_is_enough_only_what_all_lack_counts(
    tmp_path: Path, server: ModelServer
) -> None:
    checkers = [{**REGEX, "pattern": "{year}"}, {**REGEX, "pattern": "."}]
    file = given(tmp_path, None, "rows.json", checkers=checkers, pass_when="any")
    assert call("check", file)[0] == 0
    lve("run", str(file), "--base-url", server.url)
    assert len(server.requests) == 2


@pytest.mark.parametrize("data", ["rows.csv", None], ids=str)
def test_an_argument_may_be_an_earlier_answer(
    tmp_path: Path, server: ModelServer, data: str | None
) -> None:
    question = "{question}" if data else "tea?"
    prompt = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "variable": "greeting"},
        {"role": "user", "content": question},
    ]
    checker = {**LAMBDA, "func": "lambda r, greeting: len(greeting) > 0"}
    file = given(tmp_path, checker, data, prompt=prompt)
    assert call("check", file)[0] == 0
    lve("run", str(file), "--base-url", server.url)
