"""Applications in whole runs: checks, cost, cache, resume, replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.ray.cluster import LocalLauncher, cluster_of
from extensions.targets.application import application
from extensions.targets.targets import TARGET, run, workspace, write_test
from support.command_line import call

import lve
from lve.errors import UsageError


@pytest.fixture(autouse=True)
def in_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user stands in the workspace."""
    monkeypatch.chdir(tmp_path)


def answering(root: Path, source: str, **options: Any) -> None:
    (root / "app.py").write_text(source, encoding="utf-8")
    fields = {key: options.pop(key) for key in ("price",) if key in options}
    workspace(root, "python", {"function": "app:answer", "workers": 1, **options}, **fields)


RAG = """
def answer(q):
    return {
        "text": "14 days", "contexts": ["Refunds take 14 days.", "Norway"], "cost": 0.25,
        "metadata": {"route": "billing", "steps": 3}, "usage": {"prompt_tokens": 5},
        "tool_calls": [{"name": "search", "arguments": {"q": q}}],
    }
"""


@pytest.mark.parametrize(
    ("check", "passes"),
    [
        ({"contains": "14 days", "on": "contexts"}, True),
        ({"contains": "15 days", "on": "contexts"}, False),
        ({"json_path": "$.route", "value": "billing", "on": "metadata"}, True),
        ({"json_path": "$.route", "value": "sales", "on": "metadata"}, False),
        ({"json_path": "$[0].name", "value": "search", "on": "tool_calls"}, True),
        ({"called": "search"}, True),
        ({"called": "lookup"}, False),
        ({"contains": "{q}", "on": "tool_calls"}, True),
        ({"name": "LambdaChecker", "func": "lambda r, metadata: metadata['steps'] == 3"}, True),
        ({"name": "LambdaChecker", "func": "lambda r, contexts: len(contexts) == 5"}, False),
    ],
)
def test_checks_see_what_an_application_returned(
    tmp_path: Path, check: dict[str, Any], passes: bool
) -> None:
    answering(tmp_path, RAG)
    name = check.pop("name", None)
    document = {"checkers": [{"checker_name": name, **check}]} if name else {"check": check}
    folder = write_test(tmp_path, [{"q": "How long?"}], prompt="{q}", **document)
    result = run(folder, trust=True)
    assert [one.verdict for one in result.results] == ["passed" if passes else "failed"]
    assert result.results[0].cost == 0.25


def test_a_judge_gets_the_contexts(tmp_path: Path) -> None:
    seen: list[str] = []

    def judge(request: Any) -> str:
        seen.append(str(request.messages))
        return json.dumps({"claims": []})

    answering(tmp_path, RAG)
    folder = write_test(
        tmp_path, [{"q": "How long?"}], prompt="{q}", check={"faithfulness": "{contexts}"}
    )
    judging = lve.ScriptedModel(judge, name="my/judge")
    run(folder, model=[TARGET, judging], roles={"judge": "my/judge"}, trust=True)
    assert any("Refunds take 14 days." in text and "Norway" in text for text in seen)


def test_a_column_of_the_same_name_comes_first(tmp_path: Path) -> None:
    answering(tmp_path, RAG)
    folder = write_test(
        tmp_path, [{"contexts": "14"}], prompt="{contexts}", check={"contains": "{contexts}"}
    )
    assert run(folder, trust=True).passed


def test_the_cost_that_an_answer_states_is_spent(tmp_path: Path) -> None:
    answering(tmp_path, RAG)
    folder = write_test(
        tmp_path, [{"q": str(n)} for n in range(5)], prompt="{q}", check={"contains": "14"}
    )
    with pytest.raises(UsageError, match="needs the price"):
        run(folder, trust=True, max_cost=1)
    answering(tmp_path, RAG, price={"request": 0.5})
    result = run(folder, trust=True, max_cost=0.8)
    verdicts = [one.verdict for one in result.results]
    assert verdicts.count("passed") == 2  # 0.25 each; a third might cost 0.5
    assert sum(one.cost or 0 for one in result.results) == pytest.approx(0.5)


def test_only_an_application_with_a_version_is_cached(tmp_path: Path) -> None:
    with application(lambda request: f"answer {len(request.json)}") as app:
        for version, count in ((None, 2), ("1", 3), ("2", 4)):
            options = {"url": app.url, "body": {"q": "{prompt}"}}
            workspace(tmp_path, "http", options | ({"version": version} if version else {}))
            folder = write_test(tmp_path, [{"q": "a"}], prompt="{q}", check={"contains": "answer"})
            for _ in range(2):
                assert lve.run(folder).passed
            assert len(app.requests) == count
    session = json.loads(max(tmp_path.glob(".lve/runs/*/session.json")).read_text("utf-8"))
    assert session["sent"] == {TARGET: {"version": "2"}}


def test_a_crash_of_one_row_is_that_rows_error(tmp_path: Path) -> None:
    source = "import os\ndef answer(q):\n  if q == 'b': os._exit(9)\n  return q"
    answering(tmp_path, source)
    folder = write_test(tmp_path, [{"q": q} for q in "abc"], prompt="{q}", check={"text": "{q}"})
    result = run(folder, trust=True)
    assert [one.verdict for one in result.results] == ["passed", "error", "passed"]
    assert result.results[1].error_kind == "application"
    assert "exit code 9" in result.results[1].reason


def test_a_test_of_several_turns_tells_what_it_needs(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": None,
                "variable": "first"}, {"role": "user", "content": "b"},
                {"role": "assistant", "content": None}]  # fmt: skip
    with application(lambda request: {"reply": "x"}) as app:
        options = {"url": app.url, "body": {"q": "{prompt}"}, "answer": "$.reply"}
        workspace(tmp_path, "http", options)
        folder = write_test(tmp_path, [{}], prompt=messages, check={"contains": "x"})
        [result] = run(folder).results
    assert result.verdict == "error"
    assert "send `{messages}`" in result.reason


def test_a_cluster_runs_functions_by_name_and_says_why_others_run_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_SETTING", "from the run")
    source = "import os\ndef answer(q):\n  return q + ' ' + os.environ['APP_SETTING']"
    answering(tmp_path, source, env=["APP_SETTING"])
    folder = write_test(
        tmp_path, [{"q": q} for q in "abc"], prompt="{q}", check={"contains": "from the run"}
    )
    with cluster_of(LocalLauncher(2)) as launcher:
        assert run(folder, trust=True, ray="local").passed
        assert any(connection.said for connection in launcher.connections)
    with (
        cluster_of(LocalLauncher(2)),
        pytest.warns(UserWarning, match="object of this Python process.*its rows run here"),
    ):
        run(folder, model=lambda prompt: f"{prompt} from the run", ray="local")


def test_a_replay_has_what_was_recorded_beside_the_answers(tmp_path: Path) -> None:
    answering(tmp_path, RAG)
    checks = [
        {"contains": "Norway", "on": "contexts"},
        {"called": "search"},
        {"json_path": "$.route", "value": "billing", "on": "metadata"},
    ]
    folder = write_test(tmp_path, [{"q": "How long?"}], prompt="{q}", checks=checks)
    code, _, err = call("record", str(folder), "--model", TARGET, "--trust", "--to", "live")
    assert code == 0, err
    (folder / "instances" / "rows.jsonl").unlink()
    result = run(folder, model="replay")
    assert [one.verdict for one in result.results] == ["passed"], result.results[0].reason
    recorded = folder / "instances" / "live.jsonl"
    recorded.write_text(recorded.read_text("utf-8").replace("Norway", "Sweden"), "utf-8")
    assert [one.verdict for one in run(folder, model="replay").results] == ["failed"]
