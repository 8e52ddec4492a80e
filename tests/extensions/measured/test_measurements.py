"""Checks of a server's measurements."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.folders import workspace, write_test
from support.judging import judge_of
from support.server import model_server

from lve.checkers.contract import CheckContext, Verdict, common_code
from lve.checkers.static import check_statically
from lve.errors import SpecError
from lve.messages import Completion, Message, Role, Transcript, Usage
from lve.spec.load import load_spec

MEASURED = Completion("x", "length", Usage(10, 50, reasoning_tokens=30), 1.5, 0.2)
BARE = Completion("x")


@pytest.mark.parametrize(
    ("check", "completion", "outcome"),
    [
        ({"max_latency": "2 s"}, MEASURED, "passed"),
        ({"max_latency": "1500ms"}, MEASURED, "passed"),
        ({"max_latency": 1.4}, MEASURED, "failed"),
        ({"max_first_token": "200 ms"}, MEASURED, "passed"),
        ({"max_first_token": 0.1}, MEASURED, "failed"),
        ({"max_first_token": 0.1}, BARE, "error"),
        ({"max_output_tokens": 50}, MEASURED, "passed"),
        ({"max_output_tokens": 49}, MEASURED, "failed"),
        ({"max_output_tokens": 49}, BARE, "error"),
        ({"max_reasoning_tokens": 30}, MEASURED, "passed"),
        ({"max_reasoning_tokens": 29}, MEASURED, "failed"),
        ({"max_reasoning_tokens": 29}, BARE, "error"),
        ({"finish_reason": ["stop", "length"]}, MEASURED, "passed"),
        ({"finish_reason": "stop"}, MEASURED, "failed"),
        ({"finish_reason": "stop"}, BARE, "error"),
        ({"max_latency": 1}, None, "error"),
    ],
)
def test_verdicts(
    check: dict[str, Any], completion: Completion | None, outcome: str, tmp_path: Path
) -> None:
    said = (Message("x", Role.assistant, "response"),)
    run = Transcript(said, (completion,) if completion else (), filled=(0,))
    assert judge_of(check, tmp_path).judge(CheckContext((run,))).outcome == outcome


@pytest.mark.parametrize(
    ("cost", "outcome"), [(0.002, "passed"), (0.0021, "failed"), (0.0, "passed"), (None, "error")]
)
def test_what_the_answers_cost(cost: float | None, outcome: str, tmp_path: Path) -> None:
    run = Transcript((Message("x", Role.assistant, "response"),), (MEASURED,), filled=(0,))
    judge = judge_of({"max_cost": 0.002}, tmp_path)
    assert judge.judge(CheckContext((run,), cost=cost)).outcome == outcome


def position(token: str, **others: float) -> dict[str, Any]:
    """Return what an OpenAI-compatible server sends for a token: the likelihoods of others."""
    top = [{"token": name, "logprob": math.log(p)} for name, p in others.items()]
    return {"token": token, "logprob": top[0]["logprob"] if top else -1.0, "top_logprobs": top}


@pytest.mark.parametrize(
    ("logprobs", "outcome", "score"),
    [
        ([position("B", B=0.6, A=0.2)], "passed", 0.75),
        ([position(" b", **{" b": 0.3, "B": 0.3, "A": 0.2})], "passed", 0.75),
        ([position("A", A=0.6, B=0.2)], "failed", 0.25),
        ([position("The", The=0.9), position("B", B=0.5)], "passed", 1.0),
        ([position("The", The=0.9)], "failed", 0.0),
        ([position("x", x=0.9)] * 20 + [position("B", B=0.9)], "failed", 0.0),
        ([{"token": "B", "logprob": -0.1}], "passed", 1.0),
        ([None, 3, {"top_logprobs": 3}, {"token": "B", "logprob": "x"}], "failed", 0.0),
        ([{"token": "B", "logprob": 1e308}], "passed", 1.0),
        (None, "error", None),
    ],
)
def test_the_likeliest_label(
    logprobs: Any, outcome: str, score: float | None, tmp_path: Path
) -> None:
    said = (Message("x", Role.assistant, "response"),)
    run = Transcript(said, (Completion("x", logprobs=logprobs),), filled=(0,))
    judge = judge_of({"most_likely": "B", "of": ["A", "B"]}, tmp_path)
    found = judge.judge(CheckContext((run,)))
    assert (found.outcome, found.score) == (
        outcome,
        score if score is None else pytest.approx(score),
    )


def test_a_label_that_is_not_listed_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="'most_likely' is one of A, B, not 'C'"):
        judge_of({"most_likely": "C", "of": ["A", "B"]}, tmp_path)


@pytest.mark.parametrize("time", ["soon", "2 parsecs", "-1", ""])
def test_an_invalid_time_is_reported(time: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="is a time such as 2 s"):
        judge_of({"max_latency": time}, tmp_path)


def test_examples_prove_the_checks_of_texts_beside_it(tmp_path: Path) -> None:
    examples = [
        {"response": "Paris", "verdict": "passed"},
        {"response": "Rome", "verdict": "passed"},
    ]
    checks = [{"contains": "Paris"}, {"max_latency": 1}]
    judge_of(checks, tmp_path, examples=examples)
    (problem,) = check_statically(load_spec(tmp_path, tmp_path))
    assert problem.path == "$.examples[1]"
    alone = {"max_latency": 1}
    text = {"contains": "Paris"}
    for check in (alone, {"all": [text, alone]}, {"not": alone}, {"any": [{"all": [alone]}]}):
        judge_of([check], tmp_path, examples=examples[:1])
        assert check_statically(load_spec(tmp_path, tmp_path)) == [], check


@pytest.mark.parametrize("where", ["beside", "inside"])
def test_an_error_beside_a_measurement_is_told(where: str, tmp_path: Path) -> None:
    """Before, the reason was searched for a sentence, which hid the other error."""
    checks: list[Any] = [{"max_latency": 1}, {"expression": "1 / (len(r) - 5) > 0"}]
    examples = [{"response": "Paris", "verdict": "passed"}]
    judge_of({"all": checks} if where == "inside" else checks, tmp_path, examples=examples)
    (problem,) = check_statically(load_spec(tmp_path, tmp_path))
    assert "the checker says error" in problem.message
    assert "division by zero" in problem.message


def test_verdicts_have_a_common_code() -> None:
    unmeasured, crash = Verdict("error", "no time", None, "unmeasured"), Verdict("error", "1/0")
    assert common_code([unmeasured, unmeasured]) == "unmeasured"
    assert common_code([unmeasured, crash]) is None
    assert common_code([]) is None


@pytest.mark.parametrize("price", [{"price": {"input": 1_000_000, "output": 0}}, {}])
def test_a_run_tells_what_its_answers_cost(
    price: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the model's price to the check, and again for answers that a session has."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.chdir(workspace(tmp_path))
    settings = {"models": {"openai/test": price}} if price else {}
    (tmp_path / "lve.yaml").write_text(json.dumps(settings), encoding="utf-8")
    checks = {"checker_args": None, "checks": [{"max_cost": 1_000}, {"not": {"max_cost": 0.5}}]}
    folder = write_test(tmp_path / "t", model="openai/test", **checks)
    with model_server("Hello") as server:
        ran = lve("run", folder, "--base-url", server.url, "--json", code=0 if price else 3)
    again = lve("score", "last", "--json", code=ran.exit_code)
    for result in (ran, again):
        (instance,) = json.loads(result.stdout)["tests"][0]["instances"]
        assert instance["verdict"] == ("passed" if price else "error"), instance["reason"]
        assert ("cost $" if price else "has no price") in instance["reason"]
