"""`lve record`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import write_sums, write_test
from support.server import model_server

from lve.errors import UsageError

HELLO = {
    "prompt": [{"content": "Say hello to {name}."}],
    "prompt_parameters": ["name"],
}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


CHECKER = """\
from lve.checkers.base import Checker, Verdict


class Own(Checker):
    def postprocess_response(self, response):
        return response

    def check(self, context):
        {}
"""


def test_parameters_on_the_command_line_make_an_instance(root: Path) -> None:
    folder = write_test(root / "t", **HELLO)
    result = lve("record", "t", "-p", "name=Ann", "--temperature", "0.5", "--author", "me")
    [fields] = lines(folder / "instances" / "dummy--dummy.jsonl")
    info = fields.pop("run_info")
    assert fields.pop("sent").startswith("sha256:")
    assert [message["content"] for message in fields.pop("prompt_out")] == [
        "Say hello to Ann.",
        "Hello world",
    ]
    assert fields == {
        "args": {"name": "Ann", "temperature": 0.5},
        "response": "Hello world",
        "passed": True,
        "author": "me",
    }
    assert info["source"] == "dummy", "no model answered"
    assert info["model"] == info["served_model"] == "dummy/dummy"
    assert "recorded 1 in t/instances/dummy--dummy.jsonl" in result.output


def test_what_is_recorded_is_replayed_and_agrees(root: Path) -> None:
    write_test(root / "t", **HELLO)
    lve("record", "t", "-p", "name=Ann", "--to", "mine")
    lve("record", "t", "-p", "name=Ben", "--to", "mine.jsonl", "--model-arg", "response=Go away")
    document = json.loads(lve("run", "t", "--model", "replay", "--json", code=1).stdout)
    [test] = document["tests"]
    found = [(i["source"], i["line"], i["verdict"], i["recorded"]) for i in test["instances"]]
    assert found == [
        ("instances/mine.jsonl", 1, "passed", "passed"),
        ("instances/mine.jsonl", 2, "failed", "failed"),
    ]


def test_a_rate_that_the_answers_can_not_decide_is_no_mistake(root: Path) -> None:
    write_test(root / "t", **HELLO, expect={"pass_rate": ">=0.9"})
    result = lve("record", "t", "-p", "name=Ann")
    assert "✓ t · dummy/dummy · 43/43 passed" in result.output
    assert "recorded 43 in " in result.output
    result = lve("record", "t", "-p", "name=Bob", "--repeats", "1", "--to", "x")
    assert "? t · dummy/dummy · 1/1 passed" in result.output
    assert "recorded 1 in " in result.output


def test_an_instance_with_a_secret_is_not_recorded(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file would hold `[redacted]`, and the next run would ask the model that."""
    monkeypatch.setenv("MY_API_KEY", "sk-very-secret-1234")
    folder = write_test(root / "t", **HELLO)
    result = lve("record", "t", "-p", "name=sk-very-secret-1234")
    assert "1 with a secret among their args are not recorded" in result.stderr
    assert not (folder / "instances").exists()
    lve("record", "t", "-p", "name=Ann")
    [fields] = lines(folder / "instances" / "dummy--dummy.jsonl")
    assert fields["args"] == {"name": "Ann"}


def test_recording_again_adds_one_answer_per_args(root: Path) -> None:
    folder = write_sums(root / "t", 3)
    before = (folder / "instances" / "main.jsonl").read_bytes()
    for times in (1, 2, 3):
        lve("record", "t", "--model-arg", "response=3", "--repeats", "2")
        recorded = lines(folder / "instances" / "dummy--dummy.jsonl")
        assert len(recorded) == 6 * times
    assert (folder / "instances" / "main.jsonl").read_bytes() == before
    assert {fields["args"]["a"] for fields in recorded} == {"0", "1", "2"}


def test_runs_and_variables_keep_their_shapes(root: Path) -> None:
    several = write_test(
        root / "several",
        prompt=None,
        multi_run_prompt=[{"name": "x", "prompt": [{"content": "hi"}], "repetitions": 2}],
        checker_args={"checker_name": "MultiRunLambdaChecker", "func": "lambda rs: True"},
    )
    variables = write_test(
        root / "variables",
        prompt=[
            {"content": "one"},
            {"role": "assistant", "variable": "first"},
            {"content": "two"},
            {"role": "assistant", "variable": "second"},
        ],
    )
    lve("record", "several", "variables", "--to", "x")
    [run] = lines(several / "instances" / "x.jsonl")
    assert run["response"] == ["Hello world", "Hello world"]
    [turns] = lines(variables / "instances" / "x.jsonl")
    assert turns["response"] == {"first": "Hello world", "second": "Hello world"}


@pytest.mark.parametrize(
    ("infer_mode", "response"),
    [("every_with_gt", ["2", "2"]), ("every", {"turn_1": "2", "response": "2"}), ("last", "2")],
)
def test_all_turns_of_a_row_are_recorded(root: Path, infer_mode: str, response: Any) -> None:
    turns = [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": "{answer}"}]
    folder = write_test(
        root / "t",
        prompt=None,
        dataset=[{"question": ["1+1?", "4-2?"], "answer": ["2", "2"]}],
        default_model_args={"response": "2"},
        reader_cfg={"input_columns": ["question"], "output_column": "answer"},
        prompt_parameters=None,
        infer_cfg={
            "prompt_template": {"type": "MultiTurnPromptTemplate", "template": {"round": turns}},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "MultiTurnGenInferencer", "infer_mode": infer_mode},
        },
        checker_args={"checker_name": "AnswerChecker"},
    )
    lve("record", "t", "--to", "x", "--with-prompt")
    [recorded] = lines(folder / "instances" / "x.jsonl")
    assert recorded["response"] == response
    replayed = lve("run", "t", "--model", "replay", "--instances", "x.jsonl")
    assert "1 of 1 the same" in replayed.stdout, replayed.output


def test_a_row_may_be_recorded_more_than_once(root: Path) -> None:
    folder = write_test(
        root / "t",
        prompt=None,
        dataset=[
            {"question": "Hello?", "answer": "Hello world"},
            {"question": "1+2?", "answer": "3"},
        ],
        reader_cfg={"input_columns": ["question"], "output_column": "answer"},
        infer_cfg={
            "prompt_template": {"type": "PromptTemplate", "template": "{question}"},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "GenInferencer"},
        },
        checker_args={"checker_name": "AnswerChecker"},
    )
    for name, temperature in (("mine", 0), ("mine", 0.5), ("other", 0.5)):
        args = ("--model-arg", f"temperature={temperature}", "--model-arg", "of_my_server=1")
        lve("record", "t", "--to", name, *args)
    assert len(lines(folder / "instances" / "mine.jsonl")) == 4
    document = json.loads(lve("run", "t", "--model", "replay", "--json", code=1).stdout)
    [test] = document["tests"]
    found = {(i["source"], i["line"]): (i["recorded"], i["verdict"]) for i in test["instances"]}
    places = [("mine", 1), ("mine", 2), ("mine", 3), ("mine", 4), ("other", 1), ("other", 2)]
    assert found == {
        (f"instances/{name}.jsonl", line): ("passed",) * 2 if line % 2 else ("failed",) * 2
        for name, line in places
    }
    again = lve("record", "t", "--to", "third", "--instances", "mine")
    assert "recorded 4" in again.output  # one per row and model args


def test_errors_are_not_recorded(root: Path) -> None:
    folder = write_test(root / "t")
    result = lve("record", "t", "--model-arg", "random_responses=no list", code=3)
    assert "1 without a verdict are not recorded" in result.output
    assert not (folder / "instances").exists()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--model", "replay"], "replay only says what is recorded"),
        ([], "nothing to record"),
        (["-p", "nme=x"], "did you mean `name`"),
    ],
)
def test_mistakes_are_one_clear_line(root: Path, args: list[str], words: str) -> None:
    write_test(
        root / "t", instances=[{"args": {"name": "x"}}] if "replay" in args else None, **HELLO
    )
    result = lve("record", "t", *args, code=2)
    assert isinstance(result.exception, UsageError)
    assert words in str(result.exception)


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "c:x"])
def test_the_file_lies_in_the_instances_folder(root: Path, name: str) -> None:
    write_test(root / "t")
    result = lve("record", "t", "--to", name, code=2)
    assert "without folders" in result.output


def test_what_no_model_said_is_not_recorded_as_a_models_answer(root: Path) -> None:
    (root / "lve.yaml").write_text(
        "models: {my/replay: {provider: replay}, my/x: {provider: scripted, options:"
        " {answers: [Hello]}}}"
    )
    folder = write_test(root / "t", **HELLO)
    result = lve("record", "t", "--model", "my/replay", "-p", "name=Ann", code=2)
    assert "replay only says what is recorded" in str(result.exception)
    lve("record", "t", "--model", "my/x", "-p", "name=Ann")
    [fields] = lines(folder / "instances" / "my--x.jsonl")
    assert fields["run_info"]["source"] == "scripted"


def test_models_whose_names_look_alike_have_files_of_their_own(root: Path) -> None:
    settings = ", ".join(
        f"{json.dumps(name)}: {{provider: scripted, options: {{answers: [Hello]}}}}"
        for name in ("a b", 'a"b', "a/b", "a--b")
    )
    (root / "lve.yaml").write_text(f"models: {{{settings}}}")
    folder = write_test(root / "t", **HELLO)
    for name in ("a b", 'a"b', "a/b", "a--b"):
        lve("record", "t", "--model", name, "-p", "name=Ann")
    files = sorted(file.name for file in (folder / "instances").iterdir())
    assert len(files) == 4
    assert "a--b.jsonl" in files  # of a/b, as ever


def test_a_models_answer_is_recorded_as_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    folder = write_test(root / "t", **HELLO)
    with model_server("Hello") as server:
        lve("record", "t", "-m", "m", "--base-url", server.url, "-p", "name=Ann")
    [fields] = lines(folder / "instances" / "m.jsonl")
    assert fields["run_info"]["source"] == "model"


@pytest.mark.parametrize("more", [[], ["-n", "1"]], ids=["all", "one by one"])
def test_after_a_crash_of_the_checker_recording_again_is_the_way(
    root: Path, more: list[str]
) -> None:
    folder = write_test(
        root / "t", repeats=3, prompt_parameters=["name"], checker_args={"checker_name": "Own"}
    )
    (folder / "checker").mkdir()
    code = (folder / "checker" / "checker.py").write_text
    code(CHECKER.format("raise ValueError('boom')"))
    with model_server("Hello!") as server:
        words = ["record", "t", "--base-url", server.url, "-m", "openai/m", "-p", "name=Ana"]
        result = lve(*words, "--trust", *more, code=3)
        assert "a checker couldn't judge: mend it and record again" in result.stderr
        assert ("cost nothing" in result.stderr) is (not more)
        assert not (folder / "instances").exists()
        code(CHECKER.format("return Verdict('passed')"))
        result = lve(*words, "--trust", *more)
        assert "couldn't judge" not in result.stderr
        assert len(server.requests) == (2 if more else 3)
    (file,) = (folder / "instances").iterdir()
    assert len(file.read_text().splitlines()) == (1 if more else 3), "-n wins over `repeats`"
