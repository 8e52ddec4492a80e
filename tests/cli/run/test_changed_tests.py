"""Resuming a session whose tests have changed meanwhile."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import write_sums, write_test
from support.openai_answers import sum_or_echo
from support.server import ModelServer

from lve.errors import UsageError


def rows(*numbers: int) -> list[dict[str, Any]]:
    return [{"args": {"name": str(number)}} for number in numbers]


HELLO = {
    "prompt": [{"role": "user", "content": "Compute {name} + 0"}],
    "prompt_parameters": ["name"],
    "checker_args": {"checker_name": "RegexChecker", "pattern": ".", "match_safe": True},
}


def asked(server: ModelServer) -> list[str]:
    return [request.prompt.split()[1] for request in server.requests]


def test_a_row_that_was_put_in_is_asked_for_and_no_other_counts_twice(
    root: Path, server: ModelServer
) -> None:
    write_test(root / "t", instances=rows(1, 2, 2, 3, 4, 5), **HELLO)
    at = ["--base-url", server.url, "--no-cache"]
    first = ["--model", "openai/m", "-j", "1", "--max-requests", "4"]
    lve("run", "t", *at, *first, code=6)
    assert asked(server) == ["1", "2", "2", "3"]
    write_test(root / "t", instances=rows(9, 1, 2, 2, 3, 4, 5), **HELLO)
    code, out, err = call("run", "--resume", *at, "--max-requests", "99", "--json")
    assert code == 0
    assert "t has changed since" in err
    assert sorted(asked(server)) == ["1", "2", "2", "3", "4", "5", "9"]
    assert json.loads(out)["summary"]["instances"]["passed"] == 7
    code, out, _ = call("run", "--resume", *at, "--json")
    assert len(server.requests) == 7
    assert json.loads(out)["summary"]["instances"]["passed"] == 7
    assert lve("score", "last", "-q").stdout.splitlines()[1] == "7 rows: 7 passed"


def test_an_error_that_has_moved_is_replaced(root: Path, server: ModelServer) -> None:
    write_test(root / "t", instances=rows(1, 2), **HELLO)
    at = ["--base-url", server.url, "--no-cache"]
    server.behaviour.answer = lambda request: 400 if " 2 " in request.prompt else "1"
    lve("run", "t", "--model", "openai/m", *at, code=3)
    server.behaviour.answer = sum_or_echo
    write_test(root / "t", instances=rows(7, 8, 1, 2), **HELLO)
    code, out, _ = call("run", "--resume", *at, "--json", "--retry-errors", "last")
    assert json.loads(out)["summary"]["instances"] == {
        "total": 4, "passed": 4, "failed": 0, "error": 0, "inconclusive": 0,
    }  # fmt: skip
    assert code == 0
    assert sorted(asked(server)) == ["1", "2", "2", "7", "8"]


@pytest.mark.parametrize("named", [["."], ["gone", "here"]])
def test_a_test_that_is_gone_is_named(root: Path, server: ModelServer, named: list[str]) -> None:
    for name in ("gone", "here"):
        write_sums(root / name, 3)
    at = ["--base-url", server.url]
    lve("run", *named, "--model", "openai/m", *at, "--max-requests", "2", code=6)
    shutil.rmtree(root / "gone")
    result = lve("run", "--resume", *at, "--max-requests", "99")
    assert "gone is in the session, but there is no such test any more" in result.stderr
    shutil.rmtree(root / "here")
    if named != ["."]:
        with pytest.raises(UsageError, match="gone does not exist"):
            call("run", "--resume", *at)


OTHER = {**HELLO, "prompt": [{"role": "user", "content": "Compute {name} + 0, please"}]}


def test_answers_to_another_prompt_are_asked_for_again(root: Path, server: ModelServer) -> None:
    at = ["--base-url", server.url, "--no-cache"]
    write_test(root / "same", instances=rows(7), **HELLO)
    write_test(root / "t", instances=rows(1, 2, 2, 3), **HELLO)
    lve("run", ".", *at, "--model", "openai/m", "-j", "1", "--max-requests", "4", code=6)
    write_test(root / "t", instances=rows(1, 2, 2, 3), **OTHER)
    server.requests.clear()
    code, out, err = call("run", "--resume", *at, "--max-requests", "99", "--json")
    assert code == 0
    assert "was answered for another prompt runs as the test is now" in err
    assert [request.prompt for request in server.requests] == [
        f"Compute {number} + 0, please" for number in (1, 2, 2, 3)
    ]
    assert json.loads(out)["summary"]["instances"]["passed"] == 5
    server.requests.clear()
    for _ in range(2):
        code, out, _ = call("run", "--resume", *at, "--json")
        assert (code, json.loads(out)["summary"]["instances"]["passed"]) == (0, 5)
        assert not server.requests


def test_an_old_answer_does_not_count_before_the_new_one_has_come(
    root: Path, server: ModelServer
) -> None:
    at = ["--base-url", server.url, "--no-cache"]
    write_test(root / "t", instances=rows(1, 2, 3), **HELLO)
    lve("run", "t", *at, "--model", "openai/m")
    write_test(root / "t", instances=rows(1, 2, 3), **OTHER)
    one_more = ["-j", "1", "--max-requests", str(len(server.requests) + 1)]
    code, out, _ = call("run", "--resume", *at, *one_more, "--json")
    assert code == 6
    assert json.loads(out)["summary"]["instances"]["passed"] == 1
    code, out, _ = call("run", "--resume", *at, "--max-requests", "99", "--json")
    assert (code, json.loads(out)["summary"]["instances"]["passed"]) == (0, 3)
    assert sorted(asked(server)) == ["1", "1", "2", "2", "3", "3"]


def test_a_prompt_that_only_moved_into_a_file_is_the_same(root: Path, server: ModelServer) -> None:
    at = ["--base-url", server.url, "--no-cache"]
    write_test(root / "t", instances=rows(1, 2), **HELLO)
    lve("run", "t", *at, "--model", "openai/m")
    write_test(
        root / "t", instances=rows(1, 2), **{**HELLO, "prompt_file": "x.prompt", "prompt": None}
    )
    (root / "t/x.prompt").write_text("Compute {name} + 0\n")
    call("run", "--resume", *at)
    assert len(server.requests) == 2
