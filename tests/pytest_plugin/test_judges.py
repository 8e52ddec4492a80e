"""Tests whose checks ask a judge, as pytest items."""

from __future__ import annotations

import json

import pytest
from support.folders import workspace, write_test
from support.judges import no, yes
from support.openai_answers import Received
from support.pytest_runs import sessions
from support.server import model_server


@pytest.mark.parametrize("workers", [(), ("-n", "1")])
def test_a_judge_decides_about_items(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    rows = [{"args": {"name": name}} for name in ("Ann", "Bob", "Eve")]
    write_test(
        pytester.path / "t",
        prompt=[{"role": "user", "content": "Greet {name}."}],
        prompt_parameters=["name"],
        check={"judge": "It is kind to {name}."},
        checker_args=None,
        model=None,
        instances=rows,
    )

    def reply(request: Received) -> str:
        return no() if "kind to Eve" in request.prompt else yes()

    with model_server("Hello!") as tested, model_server(reply) as judge:
        entries = {"m": {"base_url": tested.url, "model": "m"}, "j": {"base_url": judge.url}}
        settings = {"models": entries, "model": "m", "roles": {"judge": "j"}}
        entries["j"]["model"] = "j"
        workspace(pytester.path, json.dumps(settings))
        result = pytester.runpytest("t", *workers)
        result.assert_outcomes(passed=2, failed=1)
        assert "no: It is not so." in result.stdout.str()
        assert len(judge.requests) == 3
    (session,) = sessions(pytester)
    assert session["roles"] == {"judge": "j"}
    assert session["spent"]["requests"] == 6
