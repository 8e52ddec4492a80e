"""Checks that ask a judge, through every door, against a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.command_line import call
from support.command_line import lve as command
from support.folders import workspace, write_test
from support.judges import no, yes
from support.openai_answers import Raw, Received
from support.server import ModelServer, model_server

import lve
from lve.errors import SettingsError

PRICE = {"input": 1_000_000, "output": 0}
"""A dollar per token of a prompt."""
SCHEMA = Path(lve.__file__).parent.parent / "schemas" / "result.schema.json"


def results(root: Path) -> list[dict[str, Any]]:
    """Return the journal of the latest session, held against its schema."""
    folder = max((root / ".lve" / "runs").iterdir())
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    found = [json.loads(line) for line in lines]
    for one in found:
        validator.validate(one)
    return found


@contextmanager
def judged(
    root: Path, answer: Any = None, *, judge: Any = None, settings: dict[str, Any] | None = None
) -> Iterator[tuple[ModelServer, ModelServer]]:
    """Run a server for the tested model and one for the judge, with settings that name both."""
    with model_server(answer or "Hello!") as tested, model_server(judge or yes()) as other:
        models = {
            "m": {"base_url": tested.url, "model": "m"},
            "j": {"base_url": other.url, "model": "j", "price": PRICE},
        }
        said = {"models": models, "model": "m", "roles": {"judge": "j"}, **(settings or {})}
        workspace(root, json.dumps(said))
        yield tested, other


def kind_test(root: Path, rows: int = 1, **more: Any) -> None:
    """Write a test whose answers a judge has to find kind."""
    document = {"check": {"judge": "It is kind."}, "checker_args": None, "model": None, **more}
    instances = [{"args": {}} for _ in range(rows)]
    write_test(root / "t", instances=instances, **document)


def test_a_judges_answer_stands_in_the_journal_with_its_cost(root: Path) -> None:
    kind_test(root)
    with judged(root) as (tested, judge):
        assert call("run", "t")[0] == 0
        assert (len(tested.requests), len(judge.requests)) == (1, 1)
        body = judge.requests[0].json
    assert body["response_format"]["type"] == "json_schema"
    assert body["temperature"] == 0
    (result,) = results(root)
    assert (result["verdict"], result["reason"]) == ("passed", "yes: It is so.")
    told = json.loads((max((root / ".lve" / "runs").iterdir()) / "session.json").read_text())
    assert told["spent_unrecorded"] == {"cost": 0.0, "tokens": 0, "requests": 0}
    (answer,) = result["asked"]
    assert (answer["role"], answer["model"], answer["text"]) == ("judge", "j", yes())
    assert answer["cost"] == answer["completion"]["usage"][0] > 0
    assert result["cost"] is None


def test_a_judge_is_asked_once_for_the_same_answer(root: Path) -> None:
    kind_test(root, rows=3)
    with judged(root) as (_, judge):
        assert call("run", "t")[0] == 0
        assert call("run", "t")[0] == 0
        assert len(judge.requests) <= 3
        before = len(judge.requests)
        assert call("run", "t", "--no-cache")[0] == 0
        assert before < len(judge.requests) <= before + 3, "those at the same time are one"


def test_a_judge_that_fails_is_an_error_of_its_kind(root: Path) -> None:
    kind_test(root)
    with judged(root, judge=401):
        code, out, _ = call("run", "t")
    assert code == 3, out
    (result,) = results(root)
    assert (result["verdict"], result["error_kind"]) == ("error", "authentication")
    assert "the judge j can't answer" in result["reason"]
    assert result["asked"][0]["problem_kind"] == "authentication"


def test_a_server_without_response_format_is_asked_without(root: Path) -> None:
    def reply(request: Received) -> Any:
        if "response_format" in request.json:
            body = b'{"error": {"message": "response_format is not supported"}}'
            head = b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: "
            return Raw(head + str(len(body)).encode() + b"\r\n\r\n" + body)
        return yes()

    kind_test(root)
    with judged(root, judge=reply) as (_, judge):
        code, out, err = call("run", "t")
    assert code == 0, out + err
    assert "response_format" not in judge.requests[-1].json


def test_a_bad_reply_is_corrected_once_in_the_same_conversation(root: Path) -> None:
    kind_test(root)
    with judged(root, judge=["Well, yes.", no()]) as (_, judge):
        assert call("run", "t")[0] == 1
        roles = [message["role"] for message in judge.requests[1].json["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert len(results(root)[0]["asked"]) == 2


def test_the_budget_counts_the_judge(root: Path) -> None:
    kind_test(root, repeats=5)
    numbers = count()
    with judged(root, lambda _: f"Hello {next(numbers)}") as (tested, judge):
        assert call("run", "t", "--max-requests", "4", "-j", "1")[0] == 6
        assert len(tested.requests) + len(judge.requests) == 4
        assert call("run", "--resume", "last", "--max-requests", "100")[0] == 0
        assert len(judge.requests) == 5
    assert len(results(root)) == 5


def test_keys_do_not_reach_the_judge(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-live-0123456789abcdef"
    monkeypatch.setenv("MY_API_KEY", secret)
    kind_test(root)
    with judged(root, f"The key is {secret}.", judge=f"```json\n{yes()}\n```") as (_, judge):
        assert call("run", "t")[0] == 0
        assert all(secret not in request.body.decode() for request in judge.requests)
    assert secret not in json.dumps(results(root))


NO_MAIL = """
import re
from lve.checkers.base import BaseChecker

class NoMail(BaseChecker):
    def is_safe(self, prompt_out, param_values=None):
        return True

    def postprocess_response(self, response):
        return re.sub(r"[^ ]+@[^ ]+", "<EMAIL>", response)
"""


def test_what_a_checker_redacts_is_not_kept_of_the_judges_answer(root: Path) -> None:
    said = json.dumps({"reasoning": "It names ana@example.org itself.", "grades": {"1": "yes"}})
    checks = [{"judge": "c"}, {"NoMail": {}}]
    kind_test(root, check=None, checks=checks)
    (root / "t" / "checker").mkdir()
    (root / "t" / "checker" / "checker.py").write_text(NO_MAIL, encoding="utf-8")
    with judged(root, "Write to ana@example.org .", judge=said):
        code, out, err = call("run", "t", "--trust")
    assert code == 0, out + err
    (result,) = results(root)
    assert "<EMAIL>" in result["asked"][0]["text"]
    assert "ana@example.org" not in json.dumps(result)


def test_python_and_a_judge_made_in_python(root: Path) -> None:
    kind_test(root)
    judge = lve.ScriptedModel([no()], name="strict")
    with judged(root) as (tested, _):
        result = lve.run("t", model=judge, roles={"judge": "strict"}, keep=False)
        assert not result.passed
        assert lve.run("t").passed
        assert len(tested.requests) == 1


def test_a_test_needs_no_roles_key_for_its_judge(root: Path) -> None:
    kind_test(root)
    code, out, err = call("run", "t", "--model", "dummy/dummy")
    assert code == 2
    assert "needs a model for the role `judge`" in out + err


def test_examples_are_not_judged_without_a_judge(root: Path) -> None:
    kind_test(root, examples=[{"verdict": "passed", "response": "Hi"}])
    code, out, _ = call("check", "t")
    assert code == 0
    assert out.endswith(
        "1 example was not judged: judge asks a model: name it with --role judge=MODEL\n"
    )
    assert "--role judge=MODEL" in out


def test_score_asks_only_what_the_session_does_not_know(root: Path) -> None:
    kind_test(root, rows=2)
    with judged(root) as (tested, judge):
        assert call("run", "t", "--no-cache")[0] == 0
        before = len(judge.requests)
        assert 1 <= before <= 2
        (root / ".lve" / "cache.db").unlink(missing_ok=True)
        code, out, _ = call("score", "last")
        assert (code, len(judge.requests)) == (0, before), out
        kind_test(root, rows=2, check={"judge": "It is short."})
        judge.behaviour.answer = lambda _: no()
        code, out, _ = call("score", "last")
        assert (code, "2 failed" in out) == (1, True), out
        assert before < len(judge.requests) <= before + 2
        assert len(tested.requests) == 2


def test_score_without_a_judge_uses_what_was_said_and_says_what_it_lacks(root: Path) -> None:
    kind_test(root)
    with judged(root):
        assert call("run", "t")[0] == 0
    workspace(root, "")
    assert call("score", "last")[0] == 0
    kind_test(root, check={"judge": "It is short."})
    code, out, _ = call("score", "last")
    assert code == 3, out
    assert "there is no model for the role `judge`: give one with --role judge=MODEL" in out


def test_score_with_another_judge_asks_it(root: Path) -> None:
    kind_test(root)
    with judged(root) as (_, judge), model_server(no()) as other:
        models = json.loads((root / "lve.yaml").read_text())
        models["models"]["k"] = {"base_url": other.url, "model": "k"}
        workspace(root, json.dumps(models))
        assert call("run", "t")[0] == 0
        code, out, _ = call("score", "last", "--role", "judge=k")
        assert (code, len(other.requests), len(judge.requests)) == (1, 1, 1), out
        assert call("score", "last", "--role", "judge=j")[0] == 0
        assert len(judge.requests) == 1
        code, out, _ = call("score", "last", "--role", "judge=nobody/x")
        assert (code, "nobody" in out) == (3, True), out


def test_a_forged_session_is_no_judges_word_for_another_question(root: Path) -> None:
    """An answer counts for its question alone."""
    kind_test(root)
    with judged(root, judge=no()):
        assert call("run", "t")[0] == 1
    folder = max((root / ".lve" / "runs").iterdir())
    line = json.loads((folder / "results.jsonl").read_text())
    line["asked"] = [{**line["asked"][0], "key": "0" * 32, "text": yes()}]
    (folder / "results.jsonl").write_text(json.dumps(line) + "\n")
    workspace(root, "")
    assert call("score", "last")[0] == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"cost": -1}, {"cost": 10**400}, {"cost": "1"}, {"key": 3}, {"text": None},
        {"completion": {}}, {"problem": []}, {"role": None},
    ],
)  # fmt: skip
def test_a_broken_answer_in_a_journal_is_no_crash(root: Path, wrong: dict[str, Any]) -> None:
    kind_test(root)
    with judged(root):
        assert call("run", "t")[0] == 0
    folder = max((root / ".lve" / "runs").iterdir())
    line = json.loads((folder / "results.jsonl").read_text())
    line["asked"] = [{**line["asked"][0], **wrong}]
    (folder / "results.jsonl").write_text(json.dumps(line) + "\n")
    code, out, err = call("score", "last")
    assert "unexpected" not in out + err
    assert "Traceback" not in out + err
    assert code != 0


def test_examples_are_judged_by_a_judge_that_is_named(root: Path) -> None:
    examples = [
        {"verdict": "passed", "response": "Hi!"},
        {"verdict": "failed", "response": "Go away!"},
    ]
    kind_test(root, examples=examples)

    def reply(request: Received) -> str:
        return no() if "Go away" in request.prompt else yes()

    with judged(root, judge=reply) as (_, judge):
        code, out, _ = call("check", "t")
        assert (code, len(judge.requests)) == (0, 0)
        assert "2 examples were not judged" in out
        code, out, _ = call("check", "t", "--role", "judge=j")
        assert (code, out.strip()) == (0, "1 test: all valid")
        judge.behaviour.answer = lambda _: yes()
        (root / ".lve" / "cache.db").unlink()
        code, out, _ = call("check", "t", "--role", "judge=j")
        assert code == 2
        assert "$.examples[1]: this answer must fail, and the checker says passed" in out


def test_similarity_through_an_endpoint_for_vectors(root: Path) -> None:
    check = {"similar": ["Good morning.", "Hello!"], "threshold": 0.99}
    write_test(root / "t", check=check, checker_args=None, instances=[{"args": {}}])
    with model_server() as vectors, model_server("Hello!") as tested:
        entry = {"base_url": vectors.url, "model": "e"}
        models = {"e": entry, "m": {"base_url": tested.url, "model": "m"}}
        workspace(root, json.dumps({"models": models, "roles": {"embedding": "e"}}))
        code, out, err = call("run", "t", "--model", "m")
        assert code == 0, out + err
        assert {request.path for request in vectors.requests} <= {"/v1/embeddings"}
        (result,) = results(root)
        assert "similarity 1.000" in result["reason"]
        assert [one["role"] for one in result["asked"]] == ["embedding"] * 2
        assert "vector" not in json.dumps(result["asked"])
        assert call("score", "last")[0] == 0
        assert call("run", "t", "--model", "m", "--role", "embedding=dummy/dummy")[0] == 3
        assert "makes no embeddings" in results(root)[0]["reason"]


def test_pairwise_against_another_models_recorded_answer(root: Path) -> None:
    recorded = {"args": {}, "response": "Recorded hello.", "run_info": {"model": "old/model"}}
    check = {"pairwise": "It is kinder.", "recorded": True}
    write_test(root / "t", check=check, checker_args=None, model=None, instances=[recorded])

    def reply(request: Received) -> str:
        first = request.prompt.index("Hello, friend") < request.prompt.index("Recorded hello")
        return json.dumps({"reasoning": "r", "better": "first" if first else "second"})

    with judged(root, "Hello, friend!", judge=reply) as (_, judge):
        code, out, err = call("run", "t")
        assert (code, len(judge.requests)) == (0, 2), out + err
        assert results(root)[0]["reason"].startswith("better: ")
        code, out, _ = call("run", "t", "--model", "replay")
        assert (code, len(judge.requests)) == (1, 2), "a tie fails" + out
        assert "both answers are the same" in results(root)[0]["reason"]


def test_a_dry_run_counts_the_questions_of_the_checkers(root: Path) -> None:
    check = [{"judge": "c", "votes": 3}, {"pairwise": "c", "against": "x"}, {"contains": "o"}]
    kind_test(root, rows=2, check=None, checks=check, repeats=2)
    with judged(root) as (tested, judge):
        code, out, _ = call("run", "t", "--dry-run", "--json")
        assert code == 0
        document = json.loads(out)
        assert not tested.requests
        assert not judge.requests
        assert (document["calls"], document["asked"]["calls"]) == (4, 2 * 2 * (3 + 2))
        asked = document["tests"][0]["asked"]
        assert asked["cost"] == pytest.approx(asked["prompt_tokens"])
        assert document["cost"] == asked["cost"] > 20 * 200
        text = call("run", "t", "--dry-run")[1]
        assert "other roles get 20 calls, about" in text
        assert text.count(f"${asked['cost']:.4f}") == 2


def test_a_dry_run_of_plain_tests_asks_nothing(root: Path) -> None:
    write_test(root / "t", instances=[{"args": {}}])
    code, out, _ = call("run", "t", "--dry-run", "--json")
    assert (code, json.loads(out)["asked"]["calls"]) == (0, 0)
    assert "checkers ask" not in call("run", "t", "--dry-run")[1]


def test_reports_say_what_judges_took(root: Path) -> None:
    kind_test(root)
    with judged(root):
        code, out, _ = call("run", "t", "--json")
        report = json.loads(out)
        asked = report["summary"]["asked"]
        assert (code, asked["answers"]) == (0, 1)
        assert asked["cost"] == report["summary"]["cost"] == asked["prompt_tokens"] > 0
        assert "other roles: 1 answer" in call("run", "t")[1]
        command("record", "t", "-y")
        replayed = call("run", "t", "--model", "replay", "--instances", "m.jsonl")[1]
        assert "recorded answers, nothing was sent" in replayed


@pytest.mark.parametrize(
    ("budget", "expected"), [({"max_requests": 2}, 2), ({"max_cost": 1_000_000}, 5)]
)
def test_a_judge_has_a_budget_of_its_own(root: Path, budget: dict[str, Any], expected: int) -> None:
    kind_test(root, repeats=5)
    numbers = count()
    roles = {"roles": {"judge": {"model": "j", **budget}}}
    with judged(root, lambda _: f"Hello {next(numbers)}", settings=roles) as (_, judge):
        code, out, err = call("run", "t", "-j", "1")
        assert len(judge.requests) == expected
        assert code == (0 if expected == 5 else 6), out
        assert ("the budget of the role `judge` allows no further call" in out + err) is (
            expected == 2
        )
    told = json.loads((max((root / ".lve" / "runs").iterdir()) / "session.json").read_text())
    assert told["roles"] == {"judge": "j"}
    assert told["spent"]["requests"] >= len(results(root)) + expected


@pytest.mark.parametrize("kills", [False, True])
def test_the_budget_of_a_role_holds_for_all_runs_of_a_session(root: Path, kills: bool) -> None:
    kind_test(root, repeats=9)
    numbers = count()
    roles = {"roles": {"judge": {"model": "j", "max_requests": 4}}}
    with judged(root, lambda _: f"Hello {next(numbers)}", settings=roles) as (_, judge):
        assert call("run", "t", "-j", "1")[0] == 6
        if kills:  # session.json wasn't written in the end
            folder = max((root / ".lve" / "runs").iterdir())
            told = json.loads((folder / "session.json").read_text())
            del told["spent_unrecorded"]
            (folder / "session.json").write_text(json.dumps(told | {"status": "running"}))
        code, out, _ = call("run", "--resume", "last", "-j", "1")
        assert (code, len(judge.requests)) == (6, 4)
        assert "4 of 4 requests spent" in out
        assert "raise the role's limit in lve.yaml, and go on with: lve run --resume" in out
        roles["roles"]["judge"]["max_requests"] = 9
        settings = json.loads((root / "lve.yaml").read_text())
        workspace(root, json.dumps({**settings, **roles}))
        assert call("run", "--resume", "last", "-j", "1")[0] == 0
        assert len(judge.requests) == 9


@pytest.mark.parametrize("budget", [{"max_requests": 3}, {"max_cost": 100}, {}])
def test_an_embedding_model_has_a_budget_of_its_own(root: Path, budget: dict[str, Any]) -> None:
    kind_test(root, repeats=40, check={"similar": "Hi", "threshold": -0.99})
    numbers = count(10)
    roles = {"roles": {"embedding": {"model": "j", **budget}}}
    with judged(root, lambda _: f"Hello {next(numbers)}", settings=roles) as (_, other):
        code, out, _ = call("run", "t", "-j", "1")
        sent = other.stats()["requests"]
    assert code == (6 if budget else 0), out
    assert ("the budget of the role `embedding` allows no further call" in out) is bool(budget)
    assert 0 < sent <= budget.get("max_requests", 99)
    costs = [one["cost"] for result in results(root) for one in result["asked"]]
    assert 0 < sum(cost or 0 for cost in costs) <= budget.get("max_cost", 199)


def test_a_judges_limit_of_cost_needs_its_price(root: Path) -> None:
    kind_test(root)
    roles = {"roles": {"judge": {"model": "m", "max_cost": 1}}}
    with judged(root, settings=roles):
        code, out, err = call("run", "t")
    assert code == 2
    assert "a limit of the cost needs the price of m" in out + err


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"judge": {"max_cost": 1}}, "`model` is missing"),
        ({"judge": {"model": "j", "max_cost": -1}}, "-1"),
        ({"judge": {"model": "j", "budget": 1}}, "budget"),
        ({"model": {"model": "j", "max_cost": 1}}, "$.roles.model"),
        ({"embedding": {"model": "j", "max_tokens": 1}}, "$.roles.embedding"),
    ],
)
def test_wrong_budgets_are_said(root: Path, said: dict[str, Any], problem: str) -> None:
    kind_test(root)
    workspace(root, json.dumps({"roles": said}))
    with pytest.raises(SettingsError) as error:
        call("run", "t")
    assert problem in str(error.value)


def test_recording_judges_with_a_judge(root: Path) -> None:
    kind_test(root)
    with judged(root) as (_, judge):
        code, out, err = call("record", "t", "--model", "m")
        assert code == 0, out + err
        assert len(judge.requests) == 1
    recorded = [*(root / "t" / "instances").glob("*.jsonl")]
    lines = [json.loads(one) for file in recorded for one in file.read_text().splitlines()]
    assert [one["passed"] for one in lines if one.get("response") == "Hello!"] == [True]
