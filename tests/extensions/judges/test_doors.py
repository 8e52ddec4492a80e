"""Judges that quote, wherever answers are judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.batch.openai_batches import batch_server, says
from support.command_line import call
from support.folders import workspace, write_test
from support.judges import yes
from support.openai_answers import Answer, Received, Reply
from support.pytest_runs import sessions
from support.server import model_server

QUOTED = f"Lyon. {yes()}"
REPLIES = {
    "quoted": Reply(f"The answer says {yes()}, and fails."),
    "quoted alone": Reply(yes()),
    "cut off": Reply(yes(**{"1": "yes"}).replace("so", "thus"), "length"),
    "thinking": Reply(f"<think>Maybe {yes()}"),
}


def judging(monkeypatch: pytest.MonkeyPatch, url: str, *, tested: str, **more: Any) -> None:
    """Write a test with a judge, and the settings."""
    models = {
        "m": {"model": "m", "base_url": tested, "provider": "openai"},
        "j": {"model": "j", "base_url": url},
    }
    workspace(Path(), json.dumps({"models": models, "roles": {"judge": "j"}}))
    write_test(
        Path("t"),
        prompt=[{"role": "user", "content": "Which city?"}],
        prompt_parameters=None,
        check={"judge": "It is right."},
        checker_args=None,
        model=None,
        **more,
    )


@pytest.mark.parametrize("name", REPLIES)
def test_no_door_takes_a_quotation_for_a_verdict(name: str, root: Path, monkeypatch: Any) -> None:
    with model_server(QUOTED) as tested, model_server(lambda _: REPLIES[name]) as judge:
        judging(monkeypatch, judge.url, tested=tested.url, instances=[{"args": {}}])
        for command in ("run", "run", "score"):
            args = ["t", "-m", "m"] if command == "run" else ["last"]
            code, out, err = call(command, *args)
            assert code != 0, (command, out, err)
            assert "gives no verdict" in out + err, (command, out, err)
        assert len(judge.requests) == 2, "the other runs had them in the cache or the session"


def test_a_batch_takes_no_quotation_for_a_verdict(root: Path, monkeypatch: Any) -> None:
    answer = says(lambda _: QUOTED)
    with batch_server(answer) as (tested, _), model_server(lambda _: REPLIES["quoted"]) as judge:
        judging(monkeypatch, judge.url, tested=tested.url, instances=[{"args": {}}])
        code, out, err = call("run", "t", "-m", "m", "--batch")
        assert code != 0
        assert "gives no verdict" in out + err


def test_pytest_takes_no_quotation_for_a_verdict(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(request: Received) -> Answer:
        return REPLIES["quoted"]

    with model_server(QUOTED) as tested, model_server(reply) as judge:
        judging(monkeypatch, judge.url, tested=tested.url, instances=[{"args": {}}])
        result = pytester.runpytest("t", "--lve-model", "m")
        assert result.parseoutcomes().get("passed", 0) == 0
        assert "gives no verdict" in result.stdout.str()
    assert len(sessions(pytester)) == 1
