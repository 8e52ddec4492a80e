"""Tests with several answers, from every door: the same verdicts and reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import write_test
from support.server import Received, model_server

TEST: dict[str, Any] = {
    "prompt": [
        {"content": "Name the capital of {land}."},
        {"role": "assistant", "variable": "city"},
        {"content": "Are you sure that it is {city}?"},
        {"role": "assistant", "variable": "again"},
    ],
    "prompt_parameters": ["land"],
    "checker_args": None,
    "checks": [
        {"contains": "{city}", "on": "again"},
        {"not_contains": "{land}", "on": "all"},
        {"not_contains": "heron", "on": "transcript"},
    ],
    "instances": [{"args": {"land": "Peru"}}, {"args": {"land": "Kenya"}}],
}
HOSTILE = "{land}{{ [x](.*)"


def answer(request: Received) -> str:
    """Return an answer; about Kenya another one the second time."""
    said = str(request.prompt)
    if "Are you sure" in said:
        return f"Yes: {HOSTILE}" if HOSTILE in said else "No, Mombasa."
    return HOSTILE if "Peru" in said else "Nairobi"


def judged(output: str) -> list[tuple[str, str]]:
    (test,) = json.loads(output)["tests"]
    return [(one["verdict"], one["reason"]) for one in test["instances"]]


def test_every_door_judges_the_same_answers_alike(root: Path) -> None:
    write_test(root / "t", **TEST)
    with model_server(answer) as server:
        model = ["--model", "openai/m", "--base-url", server.url]
        first = judged(lve("run", "t", *model, "--json", code=1).stdout)
        asked = sorted(str(request.prompt) for request in server.requests)
        lve("record", "t", *model, "--to", "kept")
        sent = len(server.requests)
        again = judged(lve("score", "last", "--json", code=1).stdout)
        replayed = lve(
            "run", "t", "--model", "replay", "--instances", "kept", "--json", code=1
        ).stdout
        assert len(server.requests) == sent
    assert asked == [
        "Are you sure that it is Nairobi?",
        f"Are you sure that it is {HOSTILE}?",
        "Name the capital of Kenya.",
        "Name the capital of Peru.",
    ]
    assert [verdict for verdict, _ in first] == ["passed", "failed"]
    assert "contains: answer 'again': 'Nairobi' doesn't occur in the answer" in first[1][1]
    assert again == first
    assert judged(replayed) == first


def test_an_answer_that_does_not_fit_is_an_error_of_its_instance(root: Path) -> None:
    prompt = [*TEST["prompt"][:2], {"content": "Its sixth letter is {city[5]}, right?"}]
    write_test(root / "t", **{**TEST, "prompt": prompt, "checks": [{"contains": "right"}]})
    short = {"Peru": "Lima", "Kenya": "Nairobi"}
    answers = {f"Name the capital of {land}.": city for land, city in short.items()}
    with model_server({**answers, "Its sixth letter is b, right?": "right"}) as server:
        model = ["--model", "openai/m", "--base-url", server.url]
        found = judged(lve("run", "t", *model, "--json", code=3).stdout)
    assert found == [
        ("error", "{city[5]}: the value has no item [5]"),
        ("passed", "found 'right' at character 1"),
    ]


def test_what_is_rendered_names_the_answer_that_will_stand_there(root: Path) -> None:
    write_test(root / "t", **TEST)
    assert "Are you sure that it is {city}?" in lve("render", "t").stdout


def test_a_variable_that_is_not_there_is_told_with_its_place(root: Path) -> None:
    write_test(root / "t", **{**TEST, "checks": [{"contains": "x", "on": "cityy"}]})
    for command in (["check", "t"], ["run", "t"]):
        result = lve(*command, code=2)
        assert "$.checks[0].on: 'cityy' is no variable of an answer (did you mean `city`?)" in (
            result.stdout + result.stderr
        )


RUNS: dict[str, Any] = {
    "prompt": None,
    "multi_run_prompt": [
        {"name": "plain", "repetitions": 2, "prompt": [{"content": "How many? {n}"}]},
        {"name": "polite", "prompt": [{"content": "How many, please? {n}"}]},
    ],
    "prompt_parameters": ["n"],
    "checker_args": None,
    "checks": [
        {"consistency": "number"},
        {"majority": {"number": 8}},
        {"pairwise_order": ["plain", "polite"], "ties": True},
    ],
    "instances": [{"args": {"n": 1}}, {"args": {"n": 2}}],
}


def legs(request: Received) -> str:
    """Return an answer; to the second instance another one if one asks politely."""
    return "It has 6 legs." if request.prompt == "How many, please? 2" else "Eight, so **8**."


def test_runs_are_compared_alike_from_every_door(root: Path) -> None:
    write_test(root / "t", **RUNS)
    with model_server(legs) as server:
        model = ["--model", "openai/m", "--base-url", server.url]
        first = judged(lve("run", "t", *model, "--json", code=1).stdout)
        lve("record", "t", *model, "--to", "kept")
        again = judged(lve("score", "last", "--json", code=1).stdout)
        replayed = lve(
            "run", "t", "--model", "replay", "--instances", "kept", "--json", code=1
        ).stdout
    assert [verdict for verdict, _ in first] == ["passed", "failed"]
    assert first[1][1] == (
        "consistency: '8' in 2 of 3 (run 1 of 3 ('plain'), run 2 of 3 ('plain')); '6' in 1 of 3"
        " (run 3 of 3 ('polite')); pairwise_order: 0 of 2 pairs are in order: not 8 (run 1 of 3"
        " ('plain')) and 6 (run 3 of 3 ('polite'))"
    )
    assert again == first
    assert judged(replayed) == first


def _asked(mode: str, **document: Any) -> dict[str, Any]:
    """Return a test with a row that has a question and a right answer for each of two turns."""
    turns = [{"role": "HUMAN", "prompt": "{question}"}, {"role": "BOT", "prompt": "{answer}"}]
    return {
        "prompt": None,
        "checker_args": None,
        "dataset": "rows.json",
        "reader_cfg": {"input_columns": ["question"], "output_column": "answer"},
        "infer_cfg": {
            "prompt_template": {"type": "MultiTurnPromptTemplate", "template": {"round": turns}},
            "retriever": {"type": "ZeroRetriever"},
            "inferencer": {"type": "MultiTurnGenInferencer", "infer_mode": mode},
        },
        **document,
    }


@pytest.mark.parametrize("check", [{"AnswerChecker": {}}, {"text": "{reference}"}])
@pytest.mark.parametrize(
    ("mode", "answers", "verdict", "reason"),
    [
        ("every", ["one", "two"], "passed", "all 2 turns: found 'one'"),
        ("every", ["two", "two"], "failed", "turn 1 of 2: "),
        ("every", [None, ["zwei", "two"]], "passed", "turn 2 of 2: found "),
        ("every_with_gt", ["one", "two"], "passed", "all 2 turns: found 'one'"),
        ("every_with_gt", ["one", "one"], "failed", "turn 2 of 2: "),
        ("last", ["anything", "two"], "passed", "found 'two'"),
        ("last", ["two", "anything"], "failed", "expected 'anything', found 'two'"),
    ],
)
def test_each_turn_has_its_own_right_answer(
    root: Path, check: dict[str, Any], mode: str, answers: Any, verdict: str, reason: str
) -> None:
    write_test(root / "t", **_asked(mode, check=check))
    rows = [{"question": ["1?", "2?"], "answer": answers}]
    (root / "t" / "rows.json").write_text(json.dumps(rows), encoding="utf-8")
    with model_server(lambda request: {"1": "one", "2": "two"}[request.prompt[0]]) as server:
        model = ["--model", "openai/m", "--base-url", server.url]
        code = int(verdict == "failed")
        ((found, why),) = first = judged(lve("run", "t", *model, "--json", code=code).stdout)
        again = judged(lve("score", "last", "--json", code=code).stdout)
        lve("record", "t", *model, "--to", "kept")
        replay = ("run", "t", "--model", "replay", "--instances", "kept")
        replayed = lve(*replay, "--json", code=code).stdout
    assert (found, why[: len(reason)]) == (verdict, reason)
    assert again == first
    assert judged(replayed) == first


def test_a_row_of_messages_has_a_right_answer_per_turn(root: Path) -> None:
    prompt = [{"content": "{a}?"}, {"role": "assistant", "variable": "one"}, {"content": "{b}?"}]
    reader = {"input_columns": ["a", "b"], "output_column": "right"}
    rows = [{"a": 1, "b": 2, "right": [1, 2]}, {"a": 3, "b": 4, "right": [3, 3]}]
    document = {"prompt": prompt, "checker_args": None, "check": {"number": "{reference}"}}
    write_test(root / "t", dataset=rows, reader_cfg=reader, **document)
    with model_server(lambda request: f"It is {request.prompt[0]}.") as server:
        model = ["--model", "openai/m", "--base-url", server.url]
        first = judged(lve("run", "t", *model, "--json", code=1).stdout)
        again = judged(lve("score", "last", "--json", code=1).stdout)
    assert first == [
        ("passed", "all 2 turns: found 1"),
        ("failed", "turn 2 of 2: expected 3, found 4"),
    ]
    assert again == first
