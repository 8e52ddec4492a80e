"""Recorded answers whose prompt has changed, at every door that replays them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_dataset_test, write_test
from support.recorded_answers import CHANGED, HANDWRITTEN, TEST, line, record_test, replayed

from lve.api import run


@pytest.fixture
def recorded(root: Path) -> Path:
    return record_test(root)


def test_a_recording_says_what_was_sent(recorded: Path) -> None:
    fields = line(recorded)
    assert fields["sent"].startswith("sha256:")
    assert fields["prompt_out"][0]["content"] == "Say hello to Ann."
    assert replayed()["summary"]["unbound"] == 0


def test_another_checker_or_model_args_keep_it(recorded: Path) -> None:
    checker = {"checker_name": "RegexChecker", "pattern": "world", "match_safe": True}
    write_test(recorded, **TEST, checker_args=checker, default_model_args={"temperature": 1})
    lve("run", "t", "--model", "replay")
    assert call("check", "t")[0] == 0


def test_another_prompt_makes_it_stale_in_a_run(recorded: Path) -> None:
    write_test(recorded, **CHANGED)
    result = lve("run", "t", "--model", "replay", code=3)
    assert "[-Say hello-]{+Write+} to Ann." in result.output
    assert "`lve record t --stale` asks again" in result.output
    assert "--retry-errors" not in result.output
    [instance] = replayed(code=3)["tests"][0]["instances"]
    assert (instance["verdict"], instance["error_kind"]) == ("error", "stale_recording")
    assert (instance["source"], instance["line"]) == ("instances/x.jsonl", 1)


def test_another_prompt_makes_it_stale_for_check(recorded: Path) -> None:
    write_test(recorded, **CHANGED)
    code, out, err = call("check", "t")
    assert code == 2
    assert "t/instances/x.jsonl:1" in (out + err).replace("\\", "/")
    assert "[stale_recording]" in out + err


def test_a_model_is_asked_all_the_same(recorded: Path) -> None:
    write_test(recorded, **CHANGED)
    lve("run", "t")


def test_an_unbound_answer_is_judged_and_counted(root: Path) -> None:
    write_test(root / "t", instances=[HANDWRITTEN], **CHANGED)
    result = lve("run", "t", "--model", "replay")
    assert "1 recorded answer doesn't say which prompt it is for (unbound)" in result.output
    assert replayed()["summary"]["unbound"] == 1
    assert call("check", "t")[0] == 0
    assert "unbound" not in lve("run", "t").output


def test_a_new_workspace_is_protected(root: Path) -> None:
    lve("init", ".")
    file = root / "repository" / "examples" / "capitals" / "test.yaml"
    assert call("check")[0] == 0
    result = lve("run", "repository", "--model", "replay")
    assert "unbound" not in result.output
    prompt = file.read_text()
    file.write_text(prompt.replace("What is the capital of", "Write a poem about"))
    assert file.read_text() != prompt
    assert call("check")[0] == 2
    lve("run", "repository", "--model", "replay", code=3)


def test_a_models_meta_template_is_no_part_of_the_test(root: Path) -> None:
    round_ = [{"role": "HUMAN", "begin": "<h>", "end": "</h>"}, {"role": "BOT", "generate": True}]
    settings = {"models": {"dummy/dummy": {"kind": "lm", "meta_template": {"round": round_}}}}
    workspace(root, json.dumps(settings))
    turns = [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": ""}]
    template = {"type": "PromptTemplate", "template": {"round": turns}}
    reader = {"input_columns": ["question"], "output_column": "answer"}

    def write(question: str) -> Path:
        rows = [{"question": "1+1?", "answer": "2"}]
        turns[0]["prompt"] = question
        return write_dataset_test(
            root / "t",
            rows,
            reader_cfg=reader,
            model_args={"response": "2"},
            prompt_template=template,
        )

    folder = write("{question}")
    result = lve("record", "t", "--to", "x")
    assert "<h>" in json.dumps(line(folder)["prompt_out"])
    result = lve("run", "t", "--model", "replay", "--instances", "x.jsonl")
    assert "stale_recording" not in result.output
    assert "unbound" not in result.output
    assert call("check", "t")[0] == 0
    write("Say: {question}")
    result = lve("run", "t", "--model", "replay", "--instances", "x.jsonl", code=3)
    assert "stale_recording" in result.output
    assert call("check", "t")[0] == 2


def test_python_sees_it(recorded: Path) -> None:
    write_test(recorded, **CHANGED)
    result = run([str(recorded)], model="replay")
    assert [one.error_kind for one in result.results] == ["stale_recording"]
