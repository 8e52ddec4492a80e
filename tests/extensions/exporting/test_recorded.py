"""`lve export inspect` and `lve export jsonl`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from support.command_line import call
from support.folders import workspace, write_test

from lve.errors import UsageError

SECRET = "sk-ant-api03-" + "Zx9" * 20


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session with two rows; the model repeats a key."""
    monkeypatch.setenv("MY_API_KEY", SECRET)
    answers = {"Capital of France?": "Paris", "Capital of Spain?": f"Rome {SECRET}"}
    model = {"provider": "scripted", "options": {"answers": answers}}
    root = workspace(tmp_path, json.dumps({"models": {"my/model": model}}))
    monkeypatch.chdir(root)
    write_test(
        root / "capitals",
        prompt="Capital of {country}?",
        prompt_parameters=["country", "city"],
        dataset=[{"country": "France", "city": "Paris"}, {"country": "Spain", "city": "Madrid"}],
        checker_args=None,
        check={"contains": "{city}"},
        expect={"at_least": 1},
    )
    call("run", "capitals", "-m", "my/model")
    return root


@pytest.mark.usefixtures("session")
def test_results_are_flat_lines() -> None:
    code, out, _ = call("export", "jsonl")
    first, second = map(json.loads, out.splitlines())
    assert not code
    assert all(not isinstance(value, dict | list) for value in first.values())
    assert (first["verdict"], first["response"], first["parameters.country"]) == (
        "passed", "Paris", "France",
    )  # fmt: skip
    assert (second["verdict"], second["line"]) == ("failed", 2)
    assert SECRET not in out


@pytest.mark.usefixtures("session")
def test_a_file_is_written_once() -> None:
    code, out, err = call("export", "jsonl", "last", "-o", "made/results.jsonl")
    assert (code, out) == (None, "") or (code, out) == (0, "")
    assert "2 results in made/results.jsonl" in err
    assert len(Path("made/results.jsonl").read_text().splitlines()) == 2
    with pytest.raises(UsageError, match="nothing is overwritten"):
        call("export", "jsonl", "last", "-o", "made/results.jsonl")


@pytest.mark.usefixtures("session")
def test_the_log_of_inspect_has_the_results_and_says_what_it_lacks() -> None:
    _, _, err = call("export", "inspect", "last", "-o", "logs/last.eval")
    with ZipFile("logs/last.eval") as log:
        texts = {name: log.read(name).decode() for name in log.namelist()}
    assert len([name for name in texts if name.startswith("samples/")]) == 2
    assert SECRET not in "".join(texts.values())
    assert "capitals/test.json: warning: not exported: expect: at least 1 " in err
    logs = pytest.importorskip("inspect_ai.log", reason="pip install inspect_ai")
    log_read: Any = logs.read_eval_log("logs/last.eval")
    assert [sample.scores["lve"].value for sample in log_read.samples] == ["C", "I"]


def test_a_log_says_each_part_of_a_result_that_it_has_no_place_for(session: Path) -> None:
    write_test(
        session / "runs",
        prompt=None,
        multi_run_prompt=[{"prompt": [{"content": "{a}"}], "repetitions": 2}],
        prompt_parameters=["a"],
        dataset=[{"a": "x"}, {"a": "y"}],
        checker_args=None,
        check={"consistency": "text"},
    )
    call("run", "runs", "-m", "dummy/dummy")
    err = call("export", "inspect", "last", "-o", "logs/runs.eval")[2]
    why = "not exported: all runs of a row but its last one (2 times)"
    assert f"lve: runs/test.json:1: warning: {why}" in err
    assert err.count("not exported") == 1


@pytest.mark.usefixtures("session")
def test_mistakes_are_said() -> None:
    with pytest.raises(UsageError, match=r"end with \.eval"):
        call("export", "inspect", "last", "-o", "last.json")
    Path(".lve/runs/empty").mkdir()
    info = json.loads(next(Path(".lve/runs").glob("2*/session.json")).read_text())
    Path(".lve/runs/empty/session.json").write_text(json.dumps({**info, "id": "empty"}))
    with pytest.raises(UsageError, match="no results"):
        call("export", "jsonl", ".lve/runs/empty")
