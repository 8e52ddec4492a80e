"""Tests with a prompt object, run against a server over HTTP."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_test
from support.server import Received, model_server

from lve.checkers.resolve import resolve
from lve.checkers.static import check_statically
from lve.errors import SpecError
from lve.extensions.ragas.saved_prompt import read_prompt
from lve.options.run_options import RunOptions
from lve.pipeline.run import run_tests
from lve.prompts.answers.answer_format import JsonAnswer
from lve.prompts.answers.object_file import read_object
from lve.prompts.answers.schema_meter import Meter
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_file import session_ids
from lve.sessions.session_folder import SessionFolder
from lve.spec.load import load_spec

LITTLE = (20_000, 0.1)
"""A tenth of the steps and the seconds that a value may take."""

SCHEMA = {"type": ["object", "null"], "required": ["mouth"]}


def write(folder: Path, func: str, **keys: Any) -> Path:
    prompt = {
        "name": "river",
        "instruction": "Name the mouth.",
        "examples": [{"river": "Danube", "answer": {"mouth": "Black Sea"}}],
        "input_keys": ["river"],
        "output_key": "answer",
    }
    own = {
        "prompt": None,
        "model": "openai/test",
        "prompt_object": prompt,
        "output_schema": SCHEMA,
        "checker_args": {"checker_name": "LambdaChecker", "func": func},
        "dataset": "rivers.csv",
    }
    (folder / "rivers.csv").write_text("river,sea\nNile,Mediterranean\n")
    return write_test(workspace(folder), **{**own, **keys})


def run(
    folder: Path,
    answers: list[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    say: Callable[[str], None] = lambda text: None,
) -> tuple[InstanceResult, list[Received]]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.chdir(folder)
    with model_server(answers) as server:
        options = RunOptions(base_url=server.url, state=folder / ".lve")
        result = asyncio.run(
            run_tests([folder], options, warn=lambda text: None, say=say, keep_results=True)
        )
        [instance] = result.iter_results()
        return instance, server.requests


def write_saved(folder: Path) -> tuple[Path, Path]:
    """Write a test whose prompt object is a file, and return its folder and the file."""
    test = write(folder, "lambda response, **rest: True", prompt_object="river.json")
    file = folder / "river.json"
    own = {"name": "river", "input_keys": ["river"], "output_key": "answer"}
    file.write_text(json.dumps({**own, "instruction": "Name the mouth.", "examples": []}))
    return test, file


def recorded_sum(folder: Path) -> str:
    """Return the hash of the prompt object that the last session of a workspace recorded."""
    [(_, sums)] = (
        SessionFolder(folder / ".lve/runs" / session_ids(folder / ".lve")[-1])
        .info()["tests"]
        .items()
    )
    return str(sums["prompt_object"])


def test_a_loaded_test_runs_with_the_saved_prompt_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test, file = write_saved(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    spec = load_spec(test)
    sums = []
    with model_server(['{"mouth": 1}']) as server:
        options = RunOptions(base_url=server.url, state=tmp_path / ".lve")
        for instruction in ("Name the mouth.", "Name its sea."):
            file.write_text(file.read_text().replace("Name the mouth.", instruction))
            asyncio.run(run_tests([spec], replace(options, refresh=True), warn=str))
            assert instruction in server.requests[-1].json["messages"][0]["content"]
            sums.append(recorded_sum(tmp_path))
            assert sums[-1] == read_prompt(file).content_hash
    assert len(set(sums)) == 2


PARSED = (
    "lambda response, parsed, **rest: parsed is not None and parsed['mouth'] == 'Mediterranean'"
)


def test_the_column_fills_the_prompt_and_the_checker_sees_the_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    func = "lambda response, parsed, river, sea: parsed['mouth'] == sea and river == 'Nile'"
    result, [request] = run(write(tmp_path, func), ['So: {"mouth": "Mediterranean"}'], monkeypatch)
    assert result.verdict == "passed", result.reason
    assert request.prompt.endswith("\n\nriver: Nile\nanswer: \n")
    assert "sea" not in request.json


def test_an_answer_is_repaired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, PARSED, repair=True)
    answers = ["the Mediterranean", '{"mouth": "Mediterranean"}']
    result, requests = run(folder, answers, monkeypatch)
    assert result.verdict == "passed", result.reason
    assert [message["role"] for message in requests[1].json["messages"]] == [
        "user",
        "assistant",
        "user",
    ]
    assert "no JSON in the answer" in requests[1].prompt
    assert result.responses == ({"answer": '{"mouth": "Mediterranean"}'},)


def test_a_saved_prompt_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, PARSED)
    document = json.loads((folder / "test.json").read_text())
    (folder / "river.json").write_text(json.dumps(document["prompt_object"]))
    (folder / "test.json").write_text(json.dumps({**document, "prompt_object": "river.json"}))
    reads: list[Path] = []

    def read(path: Path, folder: Path | None = None) -> dict[str, Any]:
        reads.append(path)
        return read_object(path, folder)

    monkeypatch.setattr("lve.extensions.ragas.plan.read_object", read)
    monkeypatch.setattr("lve.extensions.ragas.saved_prompt.read_object", read)
    result, _ = run(folder, ['{"mouth": "Mediterranean"}'], monkeypatch)
    assert result.verdict == "passed", result.reason
    assert [path.name for path in reads] == ["river.json"]


def test_a_session_says_that_the_prompt_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    folder = write(tmp_path, PARSED)
    for instruction in ("Name the mouth.", "Name the mouth.", "Name the sea."):
        document = json.loads((folder / "test.json").read_text())
        document["prompt_object"]["instruction"] = instruction
        (folder / "test.json").write_text(json.dumps(document, indent=1))
        run(folder, ['{"mouth": "Mediterranean"}'], monkeypatch, say=told.append)
    [change] = told
    sessions = session_ids(folder / ".lve")
    assert f"the prompt changed since session {sessions[1]} (" in change
    for session, changed in zip(sessions, (False, False, True), strict=True):
        [sums] = SessionFolder.find(folder / ".lve", session).info()["tests"].values()
        assert (sums["prompt_object"][:12] in change.split(" -> ")[1]) == changed


@pytest.mark.parametrize(
    ("answer", "verdict", "reason"),
    [
        ("the Mediterranean", "failed", "no JSON in the answer"),
        ('{"sea": 1}', "failed", "'mouth' is a required property"),
        ("null", "failed", ""),
    ],
)
def test_an_answer_that_does_not_fit_has_failed(
    answer: str, verdict: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, requests = run(write(tmp_path, PARSED), [answer], monkeypatch)
    assert result.verdict == verdict
    assert reason in result.reason
    assert len(requests) == 1


def test_examples_are_read_as_json_too(tmp_path: Path) -> None:
    good = {"response": '{"mouth": "Mediterranean"}', "verdict": "passed"}
    bad = {"response": "Mediterranean", "verdict": "failed"}
    assert check_statically(load_spec(write(tmp_path, PARSED, examples=[good, bad]))) == []
    wrong = {**bad, "verdict": "passed"}
    [problem] = check_statically(load_spec(write(tmp_path, PARSED, examples=[wrong])))
    assert "no JSON in the answer" in str(problem)


PLAIN = {"prompt_object": None, "prompt": [{"content": "Name the mouth of {river}."}]}
PLAIN |= {"prompt_parameters": ["river"]}


def test_a_plain_prompt_can_have_a_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path, PARSED, **PLAIN)
    result, _ = run(folder, ['So: {"mouth": "Mediterranean"}'], monkeypatch)
    assert result.verdict == "passed", result.reason


def test_an_answer_to_a_plain_prompt_is_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA))
    folder = write(tmp_path, PARSED, **PLAIN, output_schema="s.json", repair=True)
    answers = ['{"sea": 1}', '{"mouth": "Mediterranean"}']
    result, requests = run(folder, answers, monkeypatch)
    assert result.verdict == "passed", result.reason
    assert "'mouth' is a required property" in requests[1].prompt


def test_all_runs_have_to_fit_the_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {"prompt": PLAIN["prompt"], "repetitions": 2}
    func = "lambda rs, **rest: True"
    own = {**PLAIN, "prompt": None, "multi_run_prompt": runs, "default_model_args": {"seed": 1}}
    config = {"checker_name": "MultiRunLambdaChecker", "func": func}
    folder = write(tmp_path, func, **own, checker_args=config)
    result, _ = run(folder, ["none", '{"mouth": "Mediterranean"}'], monkeypatch)
    assert (result.verdict, "no JSON in the answer" in result.reason) == ("failed", True)


def test_a_schema_that_cannot_be_used_is_told_of_a_plain_prompt(tmp_path: Path) -> None:
    for schema, message in ((".../x.json", "x.json"), ({"type": "x"}, r"output_schema.*'x'")):
        with pytest.raises(SpecError, match=message):
            resolve(load_spec(write(tmp_path, PARSED, **PLAIN, output_schema=schema)))


def test_parsed_is_there_where_json_is_wanted_only(tmp_path: Path) -> None:
    write(tmp_path, PARSED)
    document = json.loads((tmp_path / "test.json").read_text())
    for key in ("prompt_object", "output_schema", "dataset"):
        del document[key]
    document["prompt"] = [{"content": "Name the mouth."}]
    (tmp_path / "test.json").write_text(json.dumps(document))
    with pytest.raises(SpecError, match="the lambda's argument 'parsed' is no parameter"):
        resolve(load_spec(tmp_path))


@pytest.mark.parametrize("repair", [False, True])
def test_a_long_answer_is_read_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repair: bool
) -> None:
    rows = {"items": {"type": "object", "properties": {"id": {"type": "integer"}}}}
    answer = json.dumps([{"id": number} for number in range(2_000)])
    threads = []
    read = JsonAnswer.read

    def recorded(self: JsonAnswer, text: str) -> Any:
        threads.append(threading.current_thread())
        return read(self, text)

    monkeypatch.setattr(JsonAnswer, "read", recorded)
    func = "lambda response, parsed, **rest: parsed[3]['id'] == 3"
    folder = write(tmp_path, func, repair=repair, output_schema=rows)
    result, _ = run(folder, [answer], monkeypatch)
    assert result.verdict == "passed", result.reason
    assert len(threads) == 1 + repair, "once for repairing, once for judging"
    assert threading.main_thread() not in threads


COSTLY = {
    "steps": (
        {"allOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]},
        "[" * 40 + "]" * 40,
        "too much work",
    ),
    "a pattern": ({"pattern": "^(a|a)*$"}, json.dumps("a" * 60 + "b"), "a pattern takes too long"),
}


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize(("schema", "answer", "why"), COSTLY.values(), ids=COSTLY)
def test_an_answer_that_cant_be_held_against_the_schema_is_no_failure(
    schema: Any,
    answer: str,
    why: str,
    repair: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Meter.__init__, "__defaults__", LITTLE)
    folder = write(tmp_path, PARSED, output_schema=schema, repair=repair)
    result, requests = run(folder, [answer], monkeypatch)
    assert (result.verdict, result.error_kind) == ("error", "checker")
    assert why in result.reason
    assert len(requests) == 1, "the model isn't told to correct what may be right"
