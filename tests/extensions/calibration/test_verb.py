"""`lve calibrate`: how well a check agrees with people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from extensions.calibration.labels import refusals, write_labels
from support.command_line import lve
from support.folders import write_test
from support.judges import no, yes
from support.server import ModelServer, Received, model_server

CHECK = "{refusal: true}"
MAIN = "instances/main.jsonl"
HANDWRITTEN = {"source": "handwritten"}


def polite(request: Received, model: str = "j-1") -> dict[str, Any]:
    """Return what a judge says who likes the word "please" and is otherwise strict."""
    said = yes() if "please" in json.dumps(request.json["messages"]) else no()
    choice = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return {"model": model, "choices": [choice], "usage": usage}


def conversations(*, wrong: int = 0) -> list[dict[str, Any]]:
    """Return 20 labels that such a judge agrees with, but for some."""
    return [
        {
            "args": {"question": f"Where is {number}?"},
            "response": f"Look there, please: {number}." if number % 2 else f"Who cares: {number}.",
            "label": "passed" if (number % 2) ^ (number < wrong) else "failed",
            "author": "ana",
        }
        for number in range(20)
    ]


@pytest.fixture
def judge(root: Path) -> Iterator[ModelServer]:
    """A judge that likes the word "please", and a test that asks it."""
    with model_server(polite) as running:
        settings(root, running)
        write_polite(root)
        yield running


def settings(root: Path, server: ModelServer, calibration: str = "{}") -> None:
    (root / "lve.yaml").write_text(
        f"roles: {{judge: openai/j}}\nmodels: {{openai/j: {{base_url: '{server.url}'}}}}\n"
        f"calibration: {calibration}\n",
        encoding="utf-8",
    )


def write_polite(root: Path, rubric: str = "The answer is polite.") -> None:
    write_test(
        root / "t",
        checker_args=None,
        prompt=[{"content": "{question}"}],
        prompt_parameters=["question"],
        check={"judge": rubric},
        instances=[
            {
                "args": row["args"],
                "response": row["response"],
                "run_info": {"source": "handwritten"},
            }
            for row in conversations()
        ],
    )


def calibrated(root: Path) -> list[dict[str, Any]]:
    files = sorted((root / "lve.calibrations").glob("*.json"))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def test_a_check_that_needs_no_model_is_measured(root: Path) -> None:
    write_labels(root / "labels.jsonl", refusals(wrong=2))
    result = lve("calibrate", CHECK, "labels.jsonl")
    lines = result.stdout.splitlines()
    assert lines[0] == "refusal: 20 labels of 20 answers to 20 rows by 1 author"
    assert lines[2].split()[-2:] == ["10", "2"]
    assert lines[3].split()[-2:] == ["0", "8"]
    assert any(line.startswith("TPR        10/12 = 0.833 (95 % interval 0.516") for line in lines)
    assert "2 labels that the check contradicts:" in lines
    assert (
        "  labels.jsonl:2: ana says passed, the check failed: the answer doesn't refuse"
        in result.stdout
    )
    assert "      answer: First, take a drill." in lines
    (found,) = calibrated(root)
    assert (found["test"], found["judge"]) == (None, None)
    assert found["check"]["args"] == {"refusal": True}
    assert found["table"]["false_failures"] == 2


def test_without_writing_nothing_is_kept(root: Path) -> None:
    write_labels(root / "labels.jsonl", refusals())
    result = lve("calibrate", CHECK, "labels.jsonl", "--no-write", "--json")
    document = json.loads(result.stdout)
    assert document["file"] is None
    assert document["calibration"]["kappa"]["value"] == 1
    assert not (root / "lve.calibrations").exists()


def test_a_judge_is_measured_with_the_server_that_answers(root: Path, judge: ModelServer) -> None:
    write_labels(root / "labels.jsonl", conversations(wrong=4))
    result = lve("calibrate", "t", "labels.jsonl", "--json")
    document = json.loads(result.stdout)
    assert (document["requests"], document["unjudged"]) == (20, [])
    assert len(document["disagreements"]) == 4
    (found,) = calibrated(root)
    assert found["judge"] == {"model": "openai/j", "served": ["j-1"]}
    assert (found["test"], found["check"]["name"]) == ("t", "judge")
    lve("calibrate", "t", "labels.jsonl")
    assert len(judge.requests) == 20, "the second time, the cache has all"


def test_an_answer_with_labels_of_two_people_is_judged_once(root: Path, judge: ModelServer) -> None:
    rows = conversations()
    others = [{**row, "author": "ben", "label": "passed"} for row in rows]
    write_labels(root / "labels.jsonl", [*rows, *others])
    result = lve("calibrate", "t", "labels.jsonl", "--no-cache")
    assert len(judge.requests) == 20
    assert "40 labels of 20 answers to 20 rows by 2 authors" in result.stdout
    assert "people among each other: kappa 0 " in result.stdout
    assert "from 20 pairs of labels" in result.stdout


def test_a_pass_rate_is_corrected_for_the_judges_errors(root: Path, judge: ModelServer) -> None:
    write_labels(root / "labels.jsonl", conversations(wrong=4))
    lve("calibrate", "t", "labels.jsonl")
    result = lve("run", "t", "--model", "replay", code=1)
    assert (
        "corrected for the check's errors (TPR 0.8, TNR 0.8): 0.5 (95 % interval" in result.stdout
    )
    (test,) = json.loads(lve("run", "t", "--model", "replay", "--json", code=1).stdout)["tests"]
    corrected = test["corrected"]
    assert (corrected["value"], corrected["tpr"], corrected["contradicts"]) == (0.5, 0.8, False)
    for code, door in enumerate(("show", "score")):
        (again,) = json.loads(lve(door, "last", "--json", code=code).stdout)["tests"]
        assert again["corrected"] == corrected
    lve("report", "last", "-o", "r.xml")
    xml = (root / "r.xml").read_text()
    assert '<property name="corrected_rate" value="0.5000"/>' in xml
    assert f'name="corrected_rate_low" value="{corrected["low"]:.4f}"' in xml
    assert f'name="corrected_rate_high" value="{corrected["high"]:.4f}"' in xml


def test_a_judge_below_the_floor_fails_nothing_at_any_door(root: Path, judge: ModelServer) -> None:
    write_labels(root / "labels.jsonl", conversations(wrong=4))
    settings(root, judge, "{floor: {kappa: 0.9}}")
    measured = lve("calibrate", "t", "labels.jsonl", code=1)
    assert "below the floor, so the check is advisory: its kappa is 0.6, and" in measured.stdout
    result = lve("run", "t", "--model", "replay")
    assert "10/20 passed, advisory" in result.stdout
    assert "1 test: 1 advisory (1 failed)" in result.stdout
    assert "t: judge is advisory, its verdict fails nothing: its kappa is 0.6" in result.stderr
    for door in ("score", "show"):
        again = lve(door, "last", "--json")
        document = json.loads(again.stdout)
        assert document["summary"]["tests"]["advisory"] == 1
        assert document["tests"][0]["advisory"] is True
        assert {one["advisory"] for one in document["tests"][0]["instances"]} == {True}
    lve("run", "--last-failed", code=5)
    assert "judge is advisory" in lve("check", "t").stdout
    settings(root, judge, "{floor: {kappa: 0.5}}")
    lve("score", "last", code=1)
    assert lve("check", "t").stdout == "1 test: all valid\n"


def test_beside_a_check_that_counts_an_advisory_one_is_only_told(
    root: Path, judge: ModelServer
) -> None:
    settings(root, judge, "{required: true}")
    checks = [{"contains": "answer"}, {"judge": "The answer is polite."}]
    instances = [{"args": {}, "response": text} for text in ("an answer", "please")]
    write_test(root / "t", checker_args=None, checks=checks, instances=instances)
    result = lve("run", "t", "--model", "replay", "--json", code=1)
    (test,) = json.loads(result.stdout)["tests"]
    first, second = test["instances"]
    assert (first["verdict"], second["verdict"]) == ("passed", "failed")
    assert first["reason"].endswith("; advisory: judge failed: no: It is not so.")
    assert "; advisory: judge passed: " in second["reason"]
    assert (test["advisory"], first["advisory"]) == (False, False)


def test_another_rubric_makes_a_calibration_stale(root: Path, judge: ModelServer) -> None:
    write_labels(root / "labels.jsonl", conversations())
    lve("calibrate", "t", "labels.jsonl")
    write_polite(root, "The answer is short.")
    result = lve("run", "t", "--model", "replay", code=1)
    assert "its calibration doesn't hold any more: its rubric, its arguments or" in result.stderr
    assert "corrected" not in result.stdout
    settings(root, judge, "{required: true}")
    lve("run", "t", "--model", "replay")


def test_a_calibration_holds_for_the_judge_that_a_door_asks(root: Path, judge: ModelServer) -> None:
    entry = f"{{base_url: '{judge.url}'}}"
    (root / "lve.yaml").write_text(
        f"roles: {{judge: openai/j}}\nmodels: {{openai/j: {entry}, openai/k: {entry}}}\n"
    )
    write_labels(root / "labels.jsonl", conversations())
    lve("calibrate", "t", "labels.jsonl")
    stale = "its calibration doesn't hold any more: the judge was openai/j and is openai/k"
    other = ("--role", "judge=openai/k")
    for code, words in enumerate((("check", "t"), ("run", "t", "--model", "replay"))):
        assert stale not in lve(*words, code=code).output
        assert stale in lve(*words, *other, code=code).output, words
    assert stale in lve("score", "last", code=1).output, "openai/k judged the session"
    assert stale not in lve("score", "last", "--role", "judge=openai/j", code=1).output


@pytest.mark.parametrize(("required", "code"), [("false", 1), ("true", 0)])
def test_another_served_model_makes_a_calibration_stale(
    root: Path, judge: ModelServer, required: str, code: int
) -> None:
    settings(root, judge, f"{{required: {required}}}")
    write_labels(root / "labels.jsonl", conversations())
    lve("calibrate", "t", "labels.jsonl")
    judge.behaviour.answer = lambda request: polite(request, model="j-2")
    result = lve("run", "t", "--model", "replay", "--no-cache", code=code)
    assert "the check's calibration doesn't hold: j-2 judged, not j-1" in result.stdout
    assert "corrected" not in result.stdout


def test_a_judge_that_cannot_answer_is_an_error_and_nothing_is_kept(
    root: Path, judge: ModelServer
) -> None:
    judge.behaviour.answer = lambda request: 400
    write_labels(root / "labels.jsonl", conversations())
    result = lve("calibrate", "t", "labels.jsonl", code=3)
    assert "20 labels that the check couldn't judge:" in result.stdout
    assert "and 10 more (-v shows all)" in result.stdout
    assert "nothing is kept" in result.stdout
    assert calibrated(root) == []


def test_a_budget_stops_it_and_nothing_is_kept(root: Path, judge: ModelServer) -> None:
    write_labels(root / "labels.jsonl", conversations())
    result = lve("calibrate", "t", "labels.jsonl", "--max-requests", "5", code=6)
    assert "stopped early, so nothing is kept" in result.stdout
    assert len(judge.requests) == 5
    assert calibrated(root) == []


def test_labels_beside_a_session_are_about_its_verdicts(root: Path, judge: ModelServer) -> None:
    lve("run", "t", "--model", "replay", code=1)
    (folder,) = (root / ".lve" / "runs").iterdir()
    rows = [
        {
            "test": test,
            "model": "replay",
            "source": "instances/main.jsonl",
            "line": line,
            "label": word,
        }
        for test, line, word in (("t", 1, "right"), ("t", 2, "wrong"), ("u", 1, "right"))
    ]
    write_labels(folder / "labels.jsonl", rows)
    result = lve("calibrate", "t", folder / "labels.jsonl", "--json")
    assert "left out: 1 label about something else" in result.stderr
    document = json.loads(result.stdout)
    assert document["calibration"]["table"] == {
        "true_passes": 0, "false_failures": 0, "false_passes": 1, "true_failures": 1
    }  # fmt: skip
    rows[0]["line"] = 99
    write_labels(folder / "labels.jsonl", rows)
    result = lve("calibrate", "t", folder / "labels.jsonl", code=2)
    assert "labels.jsonl:1: there is no such result" in str(result.exception)


def test_hostile_texts_are_escaped(root: Path) -> None:
    row = {
        "args": {},
        "response": "Sure \x1b[31m\u202e::error::x",
        "label": "passed",
        "author": "an\x1b[2Ja",
        "comment": "c\x07",
    }
    write_labels(root / "labels.jsonl", [row])
    result = lve("calibrate", CHECK, "labels.jsonl", "--no-write")
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout
    assert "\u202e" not in result.stdout
    assert "answer: Sure \\x1b[31m" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["t", "nowhere.jsonl"], "nowhere.jsonl: can't be read"),
        (["t", "labels.jsonl", "--check", "x"], "has no check `x`"),
        ([CHECK, "labels.jsonl", "--check", "x"], "--check chooses a check of a test"),
        (["nothing", "labels.jsonl"], "is no test (there is no such file) and no check"),
    ],
)
def test_mistakes_are_told(root: Path, arguments: list[str], told: str) -> None:
    write_test(root / "t")
    write_labels(root / "labels.jsonl", refusals())
    result = lve("calibrate", *arguments, code=2)
    assert result.exit_code != 0
    assert told in str(result.exception)
