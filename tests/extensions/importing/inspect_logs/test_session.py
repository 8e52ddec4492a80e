"""`lve import inspect`: a log becomes a session that reports and comparisons read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import workspace

from lve.errors import SessionError, UsageError
from lve.sessions.session_folder import SessionFolder

SECRET = "sk-ant-" + "Zx9" * 20
EVAL = {"task": "caps", "model": "openai/m", "packages": {"inspect_ai": "0.3"}}


def sample(name: object, epoch: int = 1, **more: Any) -> dict[str, Any]:
    """Return a sample that was answered."""
    messages = [{"role": "user", "content": "Capital?"}, {"role": "assistant", "content": "Paris"}]
    return {
        "id": name, "epoch": epoch, "input": "Capital?", "target": ["Paris", "paris"],
        "messages": messages, "total_time": 0.5, "metadata": {"k": 1, "deep": {"x": 1}},
        "model_usage": {"m": {"input_tokens": 3, "output_tokens": 2}},
        "output": {"model": "m-1", "choices": [{"stop_reason": "stop"}], "time": 0.25},
        "scores": {"match": {"value": "C", "explanation": "equal"}}, **more,
    }  # fmt: skip


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace."""
    monkeypatch.chdir(workspace(tmp_path))
    return tmp_path


def imported(samples: list[dict[str, Any]], name: str = "log", **header: Any) -> SessionFolder:
    """Import a log of samples."""
    about = {**EVAL, "dataset": {"sample_ids": ["a", "b"]}}
    log = {"eval": about, "status": "success", **header, "samples": samples}
    Path(f"{name}.json").write_text(json.dumps(log))
    call("import", "inspect", f"{name}.json", "-o", f"made/{name}")
    return SessionFolder(Path(f"made/{name}"))


def test_samples_are_results() -> None:
    wrong = {"scores": {"match": {"value": "I"}}}
    session = imported([sample("b", **wrong), sample("a"), sample("a", 2)])
    results = sorted(session.results(), key=lambda result: (result.line, result.repeat))
    assert [(r.line, r.repeat, r.verdict) for r in results] == [
        (1, 0, "passed"), (1, 1, "passed"), (2, 0, "failed"),
    ]  # fmt: skip
    first = results[0]
    assert (first.test, first.model, first.reason) == ("caps", "openai/m", "equal")
    assert first.args == {"k": 1, "id": "a", "target": "Paris; paris"}
    assert first.responses == ("Paris",)
    assert first.transcripts[0].completions[0].model == "m-1"
    assert (first.usage.prompt_tokens, first.usage.completion_tokens) == (3, 2)
    assert session.info()["versions"]["inspect_ai"] == "0.3"


@pytest.mark.parametrize("values", [("C", "P", "I", "N"), (1, 0.5, 0, 0), (True, 0.5, False, 0)])
def test_a_mean_score_counts_whole_scores_too(values: tuple[object, ...]) -> None:
    scores = [{"match": {"value": value}} for value in values]
    session = imported([sample(n, scores=each) for n, each in enumerate(scores)])
    assert [result.score for result in session.results()] == [1.0, 0.5, 0.0, 0.0]


def test_a_log_of_wrong_answers_is_not_green() -> None:
    wrong = {"scores": {"match": {"value": "I"}}}
    assert imported([sample("b", **wrong), sample("a")]).info()["summary"]["tests"]["failed"] == 1
    assert imported([sample("a")], "right").info()["summary"]["tests"]["passed"] == 1


def test_each_scorer_is_a_test_and_errors_are_errors() -> None:
    both = {"scores": {"match": {"value": "C"}, "f/1": {"value": 0.25}, "list": {"value": [1]}}}
    failed = {"error": {"message": "it broke"}, "scores": {}}
    session = imported([sample("a", **both), sample("b", **failed), sample("c", scores={})])
    results = {result.test: result for result in session.results()}
    assert [*results] == ["caps/match", "caps/f/1", "caps"]
    assert (results["caps/f/1"].verdict, results["caps/f/1"].score) == ("failed", 0.25)
    assert (results["caps"].verdict, results["caps"].reason) == ("error", "it broke")
    Path("log2.json").write_text(Path("log.json").read_text())
    _, _, err = call("import", "inspect", "log2.json", "-o", "again")
    assert "left out: scores that aren't one value (1 time)" in err
    assert "left out: samples without a score (1 time)" in err


def test_a_sample_that_failed_is_an_error_of_each_scorer_and_a_lone_score_its_own_test() -> None:
    about = {**EVAL, "scorers": [{"name": "match"}, {"name": "f"}]}
    both = {"scores": {"match": {"value": "C"}, "f": {"value": "I"}}}
    failed = {**both, "error": {"message": "it broke"}}
    alone = {"scores": {"f": {"value": "C"}}}
    samples = [sample("a", **both), sample("b", **failed), sample("c", **alone)]
    session = imported(samples, eval=about)
    assert [(result.test, result.line, result.verdict) for result in session.results()] == [
        ("caps/match", 1, "passed"), ("caps/f", 1, "failed"), ("caps/match", 2, "error"),
        ("caps/f", 2, "error"), ("caps/f", 3, "passed"),
    ]  # fmt: skip


def test_scores_above_one_and_samples_that_come_twice_are_said() -> None:
    imported([sample("a"), sample("a"), sample("b", scores={"match": {"value": 3}})])
    _, _, err = call("import", "inspect", "log.json", "-o", "again")
    assert "passed: scores above 1, whatever their scale (1 time)" in err
    assert "left out: earlier results of a sample and epoch that come twice (1 time)" in err


@pytest.mark.parametrize("value", ["1e999", "1" + "0" * 400, "-1e999", "NaN"])
def test_numbers_that_are_not_finite_are_no_scores(value: str) -> None:
    text = json.dumps({"eval": EVAL, "samples": [sample("a"), sample("b")]})
    head, _, tail = text.rpartition('"C"')
    Path("log.json").write_text(f"{head}{value}{tail}")
    try:
        call("import", "inspect", "log.json", "-o", "made/log")
    except UsageError:
        assert not Path("made/log").exists()
    else:
        assert [r.verdict for r in SessionFolder(Path("made/log")).results()] == ["passed"]


def test_reports_and_comparisons_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", SECRET)
    answers = [{"role": "user", "content": "q"}, {"role": "assistant", "content": f"{SECRET}!"}]
    imported([sample("a"), sample("b", messages=answers)], "before")
    wrong = {"scores": {"match": {"value": "I"}}}
    imported([sample("b", **wrong), sample("a")], "now")
    call("report", "made/before", "-o", "report.csv")
    assert SECRET not in Path("report.csv").read_text() + str(
        [*SessionFolder(Path("made/before")).results()]
    )
    _, out, _ = call("compare", "made/before", "made/now")
    assert "1 broken" in out


@pytest.mark.parametrize(
    ("samples", "header"),
    [
        ([sample("a", epoch="x", messages=7, output=[], metadata=[], target={"x": 1})], {}),
        ([sample(["x"], -5, model_usage={"m": {"input_tokens": -1}}, total_time="x")], {}),
        ([sample("a", messages=[{"role": "root", "content": [{"type": "image"}, 3]}])], {}),
        ([sample("a", scores={"../../x": {"value": True}, "y\n": {"value": 1e400}})], {}),
        ([sample("a", messages=[{"role": "assistant", "tool_calls": [{"function": 1}, 2]}])], {}),
        ([sample("a")], {"stats": {"started_at": "never"}, "status": ["x"]}),
        ([sample("a")], {"eval": {"task": "../../etc\u202e", "model": {"x": "y"}}}),
    ],
)
def test_odd_logs_become_sessions_or_are_refused(
    root: Path, samples: list[dict[str, Any]], header: dict[str, Any]
) -> None:
    try:
        session = imported(samples, **header)
    except (UsageError, SessionError):
        assert not Path("made/log").exists()
        return
    for result in session.results():
        assert ".." not in result.test
        assert result.line >= 1
    assert {path.name for path in root.iterdir()} <= {"lve.yaml", "log.json", "made", ".lve"}


def test_mistakes_are_said() -> None:
    imported([sample("a")])
    with pytest.raises(UsageError, match="exists: name a new folder"):
        call("import", "inspect", "log.json", "-o", "made/log")
    with pytest.raises(UsageError, match="no samples with a score"):
        imported([sample("a", scores={})], "none")
    assert not Path("made/none").exists()
    assert sorted(path.name for path in Path("made").iterdir()) == ["log"]
