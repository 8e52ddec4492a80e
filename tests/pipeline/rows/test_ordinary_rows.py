"""Ordinary tests take a short path, with the same results as the long one."""

from __future__ import annotations

import gc
import json
import re
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from support.command_line import lve
from support.folders import write_sums, write_test
from support.openai_answers import Answer, Received, sum_or_echo
from support.server import model_server

from lve.checkers.judge import Judge
from lve.checkers.judging_limits import NeedsProcessError
from lve.errors import PromptError
from lve.execution.cache.sqlite_file import CACHE_FILE
from lve.execution.conversations.conversation import answered_once, ask_once
from lve.exit_code import ExitCode
from lve.messages import Completion, Message, Role, Usage
from lve.models.chat_model import ChatRequest, wrong_with
from lve.pipeline.rows.model_of_test import ModelOfTest
from lve.pipeline.rows.ordinary_rows import _starter
from lve.pipeline.rows.prepared_test import PreparedTest
from lve.prompts.conversation import Conversation
from lve.prompts.messages.prepared import PreparedPrompt
from lve.spec.spec import Instance

QUESTION: dict[str, Any] = {"role": "user", "content": "What is {a} + {b}?"}
VARIED: dict[str, dict[str, Any]] = {
    "plain": {},
    "system": {"prompt": [{"role": "system", "content": "Be {a}."}, QUESTION]},
    "shots": {"prompt": [QUESTION, {"role": "assistant", "content": "{a}"}, QUESTION]},
    "named": {"prompt": [QUESTION, {"role": "assistant", "content": None, "variable": "n"}]},
    "runs": {
        "prompt": None,
        "multi_run_prompt": [
            {"prompt": [QUESTION], "repetitions": 2},
            {"name": "second", "prompt": [{"role": "user", "content": "{b} + {a}"}]},
        ],
        "checker_args": {"checker_name": "MultiRunLambdaChecker", "func": "lambda rs: len(rs) > 2"},
    },
    "turns": {
        "prompt": [QUESTION, {"role": "assistant", "content": None, "variable": "n"}, QUESTION]
    },
    "schema": {"output_schema": {"type": "integer"}},
    "picture": {"prompt": [{**QUESTION, "image_url": "https://example.com/{a}.png"}]},
    "repeats": {"repeats": 3},
    "args": {"default_model_args": {"max_tokens": 7, "temperature": 1}},
}


def write_varied(root: Path) -> None:
    """Write one test of each kind; the rows of some set model args of their own."""
    for name, fields in VARIED.items():
        write_sums(root / name, 4, **fields)
    row = {"args": {"a": "1", "b": "2", "seed": 5}, "response": "3", "is_safe": True}
    (root / "args" / "instances" / "own.jsonl").write_text(json.dumps(row) + "\n")
    write_test(root / "nothing")


def results(root: Path) -> list[dict[str, Any]]:
    """Return the results of the latest session, without what differs from run to run."""
    folder = max((root / ".lve" / "runs").iterdir(), key=lambda path: path.name)
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    for line in lines:
        line["latency_s"] = 0
        for transcript in line["transcripts"]:
            for completion in transcript["completions"]:
                completion["latency_s"] = 0
    return sorted(lines, key=lambda line: json.dumps([line[n] for n in ORDER]))


ORDER = ("test", "source", "line", "repeat")


def both(root: Path, monkeypatch: pytest.MonkeyPatch, *args: str) -> list[list[dict[str, Any]]]:
    """Run all tests by the short path where it can be taken, then all by the long one."""
    held: list[str] = []

    def noted(step: Callable[..., Any], *others: Any) -> Any:
        held.append(step.__name__)
        return step(*others)

    with monkeypatch.context() as patch:
        patch.setattr("lve.pipeline.rows.model_of_test.ask_once", partial(noted, ask_once))
        patch.setattr(
            "lve.pipeline.rows.ordinary_rows.answered_once", partial(noted, answered_once)
        )
        lve("run", ".", "-j", "4", *args, code=3)
        short = results(root)
        is_replay = "replay" in args  # its answers are bound to what was sent
        assert {*held} == ({"ask_once"} if is_replay else {"ask_once", "answered_once"})
        held.clear()
        take_the_long_path(patch)
        lve("run", ".", "-j", "4", *args, code=3)
    assert not held
    return [short, results(root)]


def take_the_long_path(patch: pytest.MonkeyPatch) -> None:
    """Have all rows pass through all that there is for rows of any kind."""
    patch.setattr("lve.pipeline.rows.ordinary_rows._only_prompt", lambda _: None)
    patch.setattr(Conversation, "asks_once", False)
    patch.setattr("lve.data.problems._quickly_decoded", lambda _: None)
    patch.setattr("lve.sessions.journal.journal.ordinary_line", lambda _: None)


def test_both_paths_send_and_write_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_varied(root)
    with model_server(sum_or_echo) as server:
        at = ["--model", "openai/test", "--base-url", server.url, "--no-cache"]
        short, long = both(root, monkeypatch, *at)
        sent = [request.body for request in server.requests]
    assert {line["test"] for line in short} == {*VARIED, "nothing"}
    assert {line["verdict"] for line in short} >= {"passed", "failed"}
    assert short == long
    half = len(sent) // 2
    assert sorted(sent[:half]) == sorted(sent[half:])


def test_both_paths_find_the_same_answers_in_the_cache(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_varied(root)
    with model_server(sum_or_echo) as server:
        at = ["--model", "openai/test", "--base-url", server.url]
        fresh, cached = both(root, monkeypatch, *at)
    assert all(line["cached"] for line in cached)
    for line in fresh:
        line["cached"] = True
        for transcript in line["transcripts"]:
            for completion in transcript["completions"]:
                completion["cached"] = True
    assert fresh == cached


def test_both_paths_replay_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_varied(root)
    short, long = both(root, monkeypatch, "--model", "replay")
    assert short == long
    assert {line["verdict"] for line in short} >= {"passed"}


def test_rows_that_are_run_together_have_the_results_of_single_ones(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_varied(root)
    write_sums(root / "plain", 90)
    journals = []
    for together in (1, 16):
        monkeypatch.setattr("lve.execution.workers.TOGETHER", together)
        with model_server(sum_or_echo) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            asked = "openai/test", "-j", "1"
            lve("run", "plain", "--model", *asked, "--limit", "40")  # the others miss
            lve("run", ".", "--model", *asked, code=3)
            journals.append((results(root), len(server.requests)))
            lve("run", "plain", "--model", *asked)
            assert in_order(root) == [*range(1, 91)]
        (root / ".lve" / CACHE_FILE).unlink()
    assert journals[0] == journals[1]


def in_order(root: Path) -> list[int]:
    """Return the rows of the latest session, in the order of its journal."""
    folder = max((root / ".lve" / "runs").iterdir(), key=lambda path: path.name)
    lines = (folder / "results.jsonl").read_text().splitlines()
    return [json.loads(line)["line"] for line in lines]


def faulty(request: Received) -> Answer:
    """Answer right, wrong, with an error that passes or with one that stays, by the first number;
    every second time the same, so that both paths see the same."""
    first = int(request.prompt.split()[1])
    if first == 1 and request.attempt % 2 == 0:
        return 500
    if first == 2:
        return 400
    return "it's\x7f \u00e9\U0001f600 \"\\\n\u2028" if first == 3 else sum_or_echo(request)


def written(
    folder: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[bytes], dict[bytes, str]]:
    """Run a test until its budget is spent, go on, and run it again from the cache. Return the
    lines of both journals and the cache's entries, without seconds."""
    write_sums(folder / "t", 6, repeats=2)
    (folder / ".lverepo").touch()
    monkeypatch.chdir(folder)
    at = ["--model", "openai/test", "--base-url", url, "-j", "1"]
    lve("run", "t", *at, "--max-requests", "7", code=ExitCode.budget)
    lve("run", *at, "--resume", "last", "--max-requests", "100", code=3)
    lve("run", "t", *at, code=3)
    sessions = sorted((folder / ".lve" / "runs").iterdir())
    lines = [line for one in sessions for line in (one / "results.jsonl").read_bytes().splitlines()]
    with closing(sqlite3.connect(folder / ".lve" / CACHE_FILE)) as cache:
        entries = dict(cache.execute("SELECT key, substr(value, 9) FROM completions"))
    return (
        sorted(re.sub(rb'"latency_s":[\d.e-]+', b'"latency_s":0', line) for line in lines),
        {key: re.sub(r'"latency_s":[\d.e-]+', "", text) for key, text in entries.items()},
    )


def test_faults_a_budget_and_a_resumed_session_are_the_same_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise NeedsProcessError

    with model_server(faulty) as server:
        short = written(tmp_path / "short", server.url, monkeypatch)
        take_the_long_path(monkeypatch)
        monkeypatch.setattr(Judge, "judge_in_process", refuse)
        long = written(tmp_path / "long", server.url, monkeypatch)
    assert len(short[0]) == 24
    assert short == long


def test_a_test_that_has_run_is_gone_without_the_collector(root: Path) -> None:
    write_sums(root / "t", 2)
    gc.collect()
    gc.disable()
    try:
        lve("run", "t", "--model", "dummy/dummy", code=3)
        left = [thing for thing in gc.get_objects() if isinstance(thing, PreparedTest)]
    finally:
        gc.enable()
    assert left == []


@pytest.mark.parametrize(
    ("own", "by_default"), [({}, {"temperature"}), ({"temperature": 0}, set())]
)
def test_what_a_row_sets_is_no_default(own: dict[str, Any], by_default: set[str]) -> None:
    sent: list[ChatRequest] = []

    def complete(request: ChatRequest) -> Awaitable[Completion]:
        sent.append(request)
        return cast(Any, "what nobody waits for")

    messages = (Message("hi"), Message(role=Role.assistant))
    prompt = PreparedPrompt(messages, messages, (), None, 1)
    names = frozenset({"temperature"})
    model = ModelOfTest("m", complete, lambda instance: instance.model_args, by_default=names)
    start = _starter(prompt, model, Judge([]))
    rest: Any = start(cast(Any, None), Instance(own, {}, own, "x", 1), 0)
    rest.close()
    assert sent[0].by_default == by_default


def test_a_model_may_return_the_same_object_with_more_in_it() -> None:
    completion = Completion("4", "stop", Usage(1, 1), 0.5)
    assert wrong_with(completion) is None
    assert completion.is_plain
    completion.metadata = {"trace": 7}
    assert wrong_with(completion) is None
    assert not completion.is_plain


@pytest.mark.parametrize(
    ("fields", "name", "is_plain"),
    [({}, None, True), ({}, "a run", False), ({"reasoning": "so"}, None, False)],
)
def test_a_transcript_is_as_plain_as_its_answer(
    fields: dict[str, Any], name: str | None, is_plain: bool
) -> None:
    completion = Completion("4", "stop", Usage(1, 1), 0.5, **fields)
    assert wrong_with(completion) is None
    turn, request = Message(role=Role.assistant), ChatRequest((Message("hi"),))
    assert answered_once(turn, name, request, completion).is_plain is is_plain


def test_messages_that_are_too_long_together_are_refused() -> None:
    messages = (Message("{a}"), Message("{a}"), Message(role=Role.assistant))
    prompt = PreparedPrompt(messages, messages, (0, 1), None, 1)
    assert len(prompt.texts({"a": "x"})) == 2
    with pytest.raises(PromptError, match="16,000,000"):
        prompt.texts({"a": "x" * 8_000_001})
