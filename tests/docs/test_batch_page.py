"""docs/batch.md: its promises, word for word, against files and batches on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.batch.openai_batches import Answer, batch_server, says
from support.command_line import call, lve
from support.page_statements import Statement, Statements, rows, write
from support.server import model_server

import lve as public
from lve.errors import UsageError

MODEL = "openai/test-model"
STATEMENTS = Statements()
on_page = STATEMENTS.says


def run(url: str, *options: str) -> tuple[int, str, str]:
    return call("run", "t", "-m", MODEL, "--base-url", url, "--batch", *options)


def errors_of(root: Path, answer: Answer | str, **behaviour: Any) -> list[tuple[str, str]]:
    """Run the test `t` and return the kinds and reasons of its errors."""
    write(root / "t", dataset=rows(2))
    with batch_server(answer, **behaviour) as (server, _):
        _, out, _ = run(server.url, "--json")
    results = json.loads(out)["tests"][0]["instances"]
    return [(row["error_kind"], row["reason"]) for row in results]


@on_page("batch", "as one batch per model")
def all_rows_go_in_one_batch(root: Path) -> None:
    write(root / "t")
    with batch_server() as (server, batches):
        assert run(server.url)[0] == 0
        assert run(server.url, "-m", "openai/other", "--no-cache")[0] == 0
    assert len(batches.batches) == 3
    assert [len(batches.requests(number)) for number in range(3)] == [4, 4, 4]


@on_page("batch", "**each turn takes a batch**")
def a_conversation_takes_a_batch_per_turn(root: Path) -> None:
    turns = [{"content": "Hi {name}"}, {"role": "assistant", "variable": "a"}, {"content": "Bye"}]
    write(root / "t", prompt=turns)
    with batch_server() as (server, batches):
        assert run(server.url)[0] == 0
    assert [len(batches.requests(number)) for number in range(2)] == [4, 4]


@on_page(
    "batch",
    "lve also stops waiting after `--deadline SECONDS` (default: 30 hours).",
    "lve never submits a request twice",
    "It writes to `batches.jsonl` in the session's folder",
)
def answers_are_fetched_later(root: Path) -> None:
    write(root / "t")
    with batch_server(polls=1000) as (server, batches):
        run(server.url, "--deadline", "1")
        (session,) = (root / ".lve" / "runs").iterdir()
        assert (session / "batches.jsonl").is_file()
        batches.polls = 1
        code, out, _ = call("run", "--resume", "last", "--base-url", server.url)
    assert (code, "4 passed" in out) == (0, True)
    assert len(batches.batches) == 1


@on_page(
    "batch",
    "Without a session (`lve.run(..., keep=False)`) you can't fetch answers later.",
    "It works with `lve run` and `lve.run(batch=True)`, not with `lve record`",
)
def python_runs_batches_too(root: Path) -> None:
    write(root / "t")
    warns = pytest.warns(match="nothing can fetch the answers")
    with batch_server() as (server, batches), warns:
        result = public.run("t", model=MODEL, base_url=server.url, batch=True, keep=False)
    assert (result.passed, len(batches.batches)) == (True, 1)
    assert not (root / ".lve" / "runs").exists()
    assert "No such option '--batch'" in lve("record", "t", "--batch", code=2).output


@on_page("batch", "| a request is refused, or its answer is malformed |")
def a_refused_request_is_an_error(root: Path) -> None:
    kinds = errors_of(root, says(lambda prompt: 400 if "n1" in prompt else "Hello"))
    assert [kind for kind, _ in kinds] == ["bad_request", None]


@on_page("batch", "an error of kind `expired`")
def what_nobody_answered_has_expired(root: Path) -> None:
    answer = says("Hello")
    kinds = errors_of(
        root, lambda url, body: "batch_expired" if "n1" in str(body) else answer(url, body)
    )
    assert kinds[0][0] == "expired"


@on_page("batch", "an error for every row, with the reason")
def a_refused_batch_is_an_error_for_every_row(root: Path) -> None:
    kinds = errors_of(root, "Hello", end="failed")
    assert len(kinds) == 2
    assert all(kind and reason for kind, reason in kinds)


@on_page("batch", "| the server has no `/files` or `/batches` | an error that says so |")
def a_server_without_batches_is_told(root: Path) -> None:
    write(root / "t")
    with model_server(404) as server:
        code, out, _ = run(server.url)
    assert code == 3
    assert "/files" in out or "batch" in out


@on_page("batch", "lve refuses other models.")
def other_models_are_refused(root: Path) -> None:
    write(root / "t")
    with pytest.raises(UsageError, match="batch"):
        call("run", "t", "-m", "dummy/dummy", "--batch")


@on_page("batch", "`lve models show NAME` prints it")
def a_model_has_a_price_in_batches(root: Path) -> None:
    assert "batch" in call("models", "show", "openai/gpt-6-luna")[1]


@pytest.mark.parametrize("statement", [*STATEMENTS.cases()])
def test_the_page_is_true(
    statement: Statement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    statement.hold(tmp_path, monkeypatch)
