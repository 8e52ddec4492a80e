"""A verdict is reached on the whole answer, and an answer that was redacted is never judged again,
whichever way it comes back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.command_line import lve
from support.folders import workspace, write_test
from support.known_secrets import knowing
from support.server import model_server

from lve.checkers.binding.bound import BoundChecker, CheckerArguments
from lve.checkers.contract import CheckContext, Verdict
from lve.checkers.judge import Judge
from lve.checkers.usable_names import Needs
from lve.messages import Message, Role, Transcript
from lve.pipeline.rows.redacted import judge_and_redact, verified
from lve.sessions.instance_result import Judged
from lve.sessions.session_folder import SessionFolder

ANSWERS = ["write to ann@example.com", "relevance", "no comment", "bob@example.com"]
NO_MAIL = """
import re
from lve.checkers.base import BaseChecker

class NoMail(BaseChecker):
    def is_safe(self, prompt_out, param_values=None):
        return "@" not in self.extract_response_from_prompt(prompt_out)

    def postprocess_response(self, response):
        return re.sub(r"[^ ]+@[^ ]+", "<EMAIL>", response)
"""
OWN = {"checker_name": "NoMail"}
SECRET = {"checker_name": "LambdaChecker", "func": "lambda r: r == 'relevance'"}
PASSED = {"own": 2, "secret": 1}
"""Of the four answers."""


@pytest.fixture(params=["own", "secret"])
def kind(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What redacts the answers: the test's own checker, or lve, because of a secret."""
    monkeypatch.chdir(workspace(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    kind = str(request.param)
    if kind == "secret":
        monkeypatch.setenv("SORT_KEY", "relevance")
    write(tmp_path / "t", kind)
    return kind


def write(folder: Path, kind: str, **more: Any) -> None:
    prompt = [{"role": "user", "content": "Say number {n}."}]
    instances = [{"args": {"n": n}} for n in range(len(ANSWERS))]
    checker = OWN if kind == "own" else SECRET
    more = {"checker_args": checker, **more}
    write_test(folder, prompt=prompt, prompt_parameters=["n"], instances=instances, **more)
    if kind == "own":
        (folder / "checker").mkdir(exist_ok=True)
        (folder / "checker" / "checker.py").write_text(NO_MAIL, encoding="utf-8")


def ask(*words: str) -> Result:
    """Run a verb against a model that answers each question in its own way."""
    answers = {f"Say number {n}.": answer for n, answer in enumerate(ANSWERS)}
    code = int(words[0] == "run")  # what is recorded fails nothing
    with model_server(answers) as server:
        return lve(*words, "--model", "openai/m", "--base-url", server.url, "--trust", code=code)


def counts(result: Result) -> dict[str, int]:
    found = json.loads(result.stdout)["summary"]["instances"]
    return {name: count for name, count in found.items() if count and name != "total"}


def rows(result: Result) -> list[dict[str, Any]]:
    found = [one for test in json.loads(result.stdout)["tests"] for one in test["instances"]]
    return sorted(found, key=lambda one: (one["source"], one["line"]))


def kept(kind: str) -> dict[str, int]:
    return {"passed": PASSED[kind], "failed": 4 - PASSED[kind]}


def test_a_run_judges_whole_answers_from_the_cache_too(kind: str) -> None:
    first, second = ask("run", "t", "--json"), ask("run", "t", "--json")
    assert counts(first) == counts(second) == kept(kind)
    redacted = {"own": [True, False, False, True], "secret": [False, True, False, False]}
    assert [row["redacted"] for row in rows(first)] == redacted[kind]
    hidden, folder = {"own": ("@example.com", ".lve/runs"), "secret": ("relevance", ".lve")}[kind]
    files = [file for file in Path(folder).rglob("*") if file.is_file()]
    assert not [file for file in files if hidden.encode() in file.read_bytes()]


def test_scoring_keeps_the_verdicts_of_the_same_checkers(kind: str) -> None:
    ask("run", "t")
    again = lve("score", "last", "--trust", "--json", code=1)
    assert counts(again) == kept(kind)
    for row in rows(again):
        assert ("can't be judged again" in row["reason"]) == row["redacted"]
        assert (row["recorded"] is None) == row["redacted"], "it isn't compared with itself"


def test_scoring_with_other_checkers_gives_no_verdict_on_a_redacted_answer(kind: str) -> None:
    ask("run", "t")
    other = {"checker_name": "RegexChecker", "pattern": "comment", "match_safe": True}
    write(Path("t"), "no checker of its own", checker_args=other)
    again = lve("score", "last", "--json", code=3)
    errors = {"own": 2, "secret": 1}[kind]
    assert counts(again) == {"passed": 1, "failed": 3 - errors, "error": errors}
    assert {row["error_kind"] for row in rows(again)} == {None, "redacted"}


def test_the_code_of_a_checker_counts_as_checker(kind: str) -> None:
    ask("run", "t")
    if kind == "own":
        changed = NO_MAIL.replace("not in", "in")
        Path("t/checker/checker.py").write_text(changed, encoding="utf-8")
        assert counts(lve("score", "last", "--trust", "--json", code=3))["error"] == 2


def test_other_checkers_do_not_quote_what_was_redacted(kind: str) -> None:
    quoting = {"checker_name": "LambdaChecker", "func": "lambda r: r == 'x'"}
    first, hidden, shown = {
        "own": (OWN, "example.com", "<EMAIL>"),
        "secret": (SECRET, "relevance", "[redacted]"),
    }[kind]
    write(Path("t"), kind, checker_args=None, checkers=[first, quoting])
    ask("run", "t")
    session = SessionFolder.find(Path(".lve"))
    reasons = [result.reason for result in session.results()]
    assert any(shown in reason for reason in reasons)
    assert not any(hidden in reason for reason in reasons)


@pytest.mark.parametrize("expect", ["pass", "fail"])
def test_replay_keeps_the_recorded_verdicts(kind: str, expect: str) -> None:
    write(Path("t"), kind, expect=expect)
    ask("record", "t", "--to", "new")
    lines = Path("t/instances/new.jsonl").read_text(encoding="utf-8").splitlines()
    marks = ["redacted" in json.loads(line)["run_info"] for line in lines]
    assert sum(marks) == {"own": 2, "secret": 1}[kind]
    replayed = lve(
        "run", "t", "--model", "replay", "--trust", "--json", "--instances", "new.jsonl", code=1
    )
    assert counts(replayed) == kept(kind)
    assert [row["redacted"] for row in rows(replayed)] == marks
    once_more = lve("score", "last", "--trust", "--json", code=1)
    assert counts(once_more) == kept(kind), "a verdict that was kept is kept again"
    said = [row["reason"].count("can't be judged again") for row in rows(once_more)]
    assert said == [int(mark) for mark in marks]


def test_a_file_does_not_pass_what_fails_as_it_is_written(kind: str) -> None:
    ask("record", "t", "--to", "new")
    file = Path("t/instances/new.jsonl")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    sums = [line["run_info"]["redacted"] for line in lines if "redacted" in line["run_info"]]
    for line in lines:
        line["response"], line["passed"], line["run_info"]["redacted"] = "@", True, sums[0]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    settings = [
        f'- {{path: t/checker/checker.py, sha256: "{sha256(NO_MAIL.encode()).hexdigest()}"}}'
    ]
    Path("lve.yaml").write_text("trust:\n" + "\n".join(settings), encoding="utf-8")
    words = ("run", "t", "--model", "replay", "--json", "--instances", "new.jsonl")
    assert counts(lve(*words, code=3)) == {"error": 4}
    assert counts(lve(*words, "--trust")) == {"passed": 4}


def test_replay_with_other_checkers_gives_no_verdict(kind: str) -> None:
    ask("record", "t", "--to", "new")
    other = {"checker_name": "RegexChecker", "pattern": "comment", "match_safe": True}
    write(Path("t"), "no checker of its own", checker_args=other)
    replayed = lve("run", "t", "--model", "replay", "--json", "--instances", "new.jsonl", code=3)
    assert counts(replayed)["error"] == {"own": 2, "secret": 1}[kind]


def test_a_secret_in_args_keeps_them_from_being_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    monkeypatch.setenv("SORT_KEY", "relevance")
    checker = {"checker_name": "LambdaChecker", "func": "lambda r, n: len(n) == 9"}
    write_test(
        tmp_path / "t",
        prompt_parameters=["n"],
        prompt=[{"role": "user", "content": "{n}"}],
        instances=[{"args": {"n": "relevance"}, "response": "yes"}],
        checker_args=checker,
    )
    lve("run", "t", "--model", "replay")
    again = lve("score", "last", "--json")
    assert counts(again) == {"passed": 1}
    assert rows(again)[0]["redacted"]


def test_no_part_of_a_secret_is_in_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reasons quote the beginning of an answer, and so may cut a secret, which then isn't known."""
    monkeypatch.chdir(workspace(tmp_path))
    secret = "sk-" + "k3yk3yk3y" * 400
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    write_test(
        tmp_path / "t", checker_args={"checker_name": "LambdaChecker", "func": "lambda r: r == 'x'"}
    )
    with model_server(f"is {secret}") as server:
        result = lve(
            "run", "t", "--model", "openai/m", "--base-url", server.url, "-v", "--json", code=1
        )
    assert "k3yk3y" not in result.output


@pytest.mark.parametrize(
    "parts",
    ["You said {first}. Again?", [{"type": "text", "text": "{first}?"}]],
    ids=["text", "parts"],
)
def test_a_message_that_repeats_an_answer_is_redacted_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: Any
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    prompt = [
        {"content": "Say a mail. Write to eve@example.com."},
        {"role": "assistant", "variable": "first"},
        {"content": parts},
    ]
    write(tmp_path / "t", "own")
    write_test(tmp_path / "t", prompt=prompt, instances=[{"args": {}}], checker_args=OWN)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with model_server(lambda r: "ann@example.com" if "Say" in r.prompt else "No.") as server:
        lve("run", "t", "--trust", "--model", "openai/m", "--base-url", server.url)
        assert "ann@example.com" in server.requests[1].body.decode()
    (folder,) = (tmp_path / ".lve" / "runs").iterdir()
    journal = (folder / "results.jsonl").read_text()
    assert "ann@example.com" not in journal
    assert "eve@example.com" in journal


def judged(reason: str, secret: str) -> str:
    checker = BoundChecker(
        "Long",
        lambda _: Fixed(reason),
        CheckerArguments({}),
        Fixed(reason),
        Needs("Long"),
        postprocesses=False,
    )
    judge = Judge([checker])
    transcripts = (Transcript((Message("hi", Role.assistant, "response"),), filled=(0,)),)
    with knowing(secret):
        found = judge_and_redact(
            CheckContext(transcripts), judge.judge, postprocessor=judge, judged_by=lambda: ""
        )
    return found.verdict.reason


@dataclass
class Fixed:
    """A checker that always gives the same reason."""

    reason: str

    def check(self, context: CheckContext) -> Verdict:
        return Verdict("passed", self.reason)

    def work(self, context: CheckContext) -> int:
        return 1

    def prepare(self) -> None: ...

    def postprocess_response(self, response: str) -> str:
        return response


@pytest.mark.parametrize("before", [*range(9_930, 10_001), 99_990])
def test_a_secret_at_the_cut_of_a_long_reason_is_removed_before(before: int) -> None:
    secret = "kR7vQ2xLm9Zt4Wb8Ns3Yc6Hd1Fg5Jp0"
    reason = judged("." * before + secret + "." * 50_000, secret)
    assert len(reason) <= 10_000
    assert secret[:4] not in reason
    assert judged("." * 10_000, secret) == "." * 10_000


@pytest.mark.parametrize(
    ("recorded", "as_written", "outcome", "is_judged"),
    [
        ("passed", "passed", "passed", True),
        ("passed", "failed", "error", True),
        ("passed", "error", "error", True),
        ("failed", "passed", "failed", False),  # nobody gains by that
        ("failed", "failed", "failed", False),
        ("error", "passed", "error", False),
    ],
)
def test_only_a_recorded_pass_is_checked_again(
    recorded: Any, as_written: Any, outcome: str, is_judged: bool
) -> None:
    asked: list[CheckContext] = []

    def judge(context: CheckContext) -> Verdict:
        asked.append(context)
        return Verdict(as_written, "as it is written")

    context = CheckContext(())
    judged = Judged(Verdict(recorded, "before"), (), None, "sum")
    found = verified(judged, context, judge)
    assert (found.verdict.outcome, asked) == (outcome, [context] * is_judged)
    assert found.judged_by == "sum"
    if outcome == recorded:
        assert found is judged
    else:
        assert found.error_kind == "redacted"
        assert "recorded as passed, and fails as it is written" in found.verdict.reason
