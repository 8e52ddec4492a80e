"""Which answers of a session are for another prompt than today's, and how that is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test
from support.server import ModelServer, model_server

ANY = {"checker_name": "RegexChecker", "pattern": ".", "match_safe": True}
BASE: dict[str, Any] = {"model": "openai/m", "checker_args": ANY}
ASK = {"role": "user", "content": "Say {word}"}
TURN = {"role": "assistant", "variable": "first"}
PICTURE = {"role": "user", "content": "What is it?", "image": "a.png"}
TOOL = {"name": "add", "description": "adds"}
PNG = b"\x89PNG\r\n\x1a\n"
ROWS: dict[str, Any] = {"dataset": [{"word": "tea"}], "prompt_parameters": ["word"]}
TEMPLATE: dict[str, Any] = {
    **ROWS,
    "prompt": None,
    "reader_cfg": {"input_columns": ["word"], "output_column": None},
    "infer_cfg": {
        "retriever": {"type": "ZeroRetriever"},
        "inferencer": {"type": "GenInferencer"},
        "prompt_template": {"type": "PromptTemplate", "template": "Say {word}"},
    },
}
SAY_IT = {"type": "PromptTemplate", "template": "Say it: {word}"}
DIFFERS = "its prompt, a file, a tool, the output schema or the simulated user differs"
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], str | None]] = {
    "a word": (
        {**ROWS, "prompt": [ASK]},
        {"prompt": [{"content": "Shout {word}"}]},
        "message 1 (user): [-Say-]{+Shout+} tea",
    ),
    "a role": (
        {**ROWS, "prompt": [ASK]},
        {"prompt": [{**ASK, "role": "system"}]},
        "message 1 has the role system now and had user",
    ),
    "a message": (
        {**ROWS, "prompt": [ASK]},
        {"prompt": [ASK, {"content": "Please."}]},
        "it has other messages",
    ),
    "a later message": (
        {**ROWS, "prompt": [ASK, TURN, {"content": "Again."}]},
        {"prompt": [ASK, TURN, {"content": "Once more."}]},
        DIFFERS,
    ),
    "further runs": (
        {**ROWS, "prompt": [ASK]},
        {"prompt": None, "multi_run_prompt": {"prompt": [ASK], "repetitions": 2}},
        "it has other messages",
    ),
    "a row that is gone": (
        {**ROWS, "prompt": [ASK]},
        {"prompt": [{"content": "Say {word}"}], "dataset": [{"word": "coffee"}]},
        None,
    ),
    "a parameter that rows lack": (
        {**ROWS, "prompt": [ASK]},
        {
            "prompt": [{"content": "Say {drink}"}],
            "dataset": [{"drink": "tea"}],
            "prompt_parameters": ["drink"],
        },
        "today's can't be made: ",
    ),
    "a picture": ({"prompt": [PICTURE]}, {}, DIFFERS),
    "a tool": (
        {**ROWS, "prompt": [ASK], "tools": [TOOL]},
        {"tools": [{**TOOL, "description": "takes away"}]},
        DIFFERS,
    ),
    "an output schema": (
        {**ROWS, "prompt": [ASK], "output_schema": {"type": "string"}},
        {"output_schema": {"type": ["string", "number"]}},
        DIFFERS,
    ),
    "a template": (
        TEMPLATE,
        {"infer_cfg": {**TEMPLATE["infer_cfg"], "prompt_template": SAY_IT}},
        DIFFERS,
    ),
    "the data of a template": (TEMPLATE, {"description": "other", "repeats": 1}, None),
    "what isn't sent": ({**ROWS, "prompt": [ASK]}, {"description": "other"}, None),
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with model_server('"tea"') as running:
        yield running


def reasons(code: int) -> set[str]:
    """Return why the rows of the last session have no verdict."""
    document = json.loads(lve("score", "last", "--json", code=code).stdout)
    rows = [row for test in document["tests"] for row in test["instances"]]
    assert rows
    assert {row["error_kind"] for row in rows} == {"stale_recording" if code else None}
    return {row["reason"] for row in rows}


@pytest.mark.parametrize("name", CHANGES)
def test_answers_to_another_prompt_are_not_judged(
    server: ModelServer, tmp_path: Path, name: str
) -> None:
    before, change, differs = CHANGES[name]
    folder = write_test(tmp_path / "t", **{**BASE, **before})
    (folder / "a.png").write_bytes(PNG + b"1")
    lve("run", "t", "--base-url", server.url)
    write_test(folder, **{**BASE, **before, **change})
    if name == "a picture":
        (folder / "a.png").write_bytes(PNG + b"2")
    if differs is None:
        reasons(0)
    else:
        (reason,) = reasons(3)
        assert reason.startswith(f"the answer is for another prompt: {differs}")
        assert reason.endswith("(`lve run` asks again)")
    server.requests.clear()
    code, _, _ = call("run", "--resume", "--base-url", server.url, "--no-cache")
    assert bool(server.requests) == (differs is not None or name == "a row that is gone"), code


def test_answers_of_attacks_are_stale_with_their_prompt(
    server: ModelServer, tmp_path: Path
) -> None:
    document = {**BASE, **ROWS, "prompt": [ASK], "attacks": {"names": ["hex"], "parameter": "word"}}
    folder = write_test(tmp_path / "t", **document)
    lve("run", "t", "--base-url", server.url)
    reasons(0)
    write_test(folder, **{**document, "prompt": [{"content": "Shout {word}"}]})
    assert {reason.partition(" (")[0] for reason in reasons(3)} == {
        f"the answer is for another prompt: {DIFFERS}"
    }
