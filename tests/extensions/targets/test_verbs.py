"""Applications at the other doors: render, resume, retry, compare, score and pytest-xdist."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from extensions.targets.targets import TARGET, workspace, write_test
from support.command_line import call

from lve.errors import UsageError
from lve.sessions.session_folder import SessionFolder

ROWS = [{"q": f"question {n}"} for n in range(4)]
APP = """
from pathlib import Path

def answer(prompt):
    with open(Path(__file__).with_name("asked"), "a") as file:
        file.write(prompt + "\\n")
    if Path(__file__).with_name("down").exists() and prompt.endswith("2"):
        raise RuntimeError("no database")
    return {"text": "WORD", "metadata": {"by": "WORD"}}
"""
RUN = ["run", "tests", "--model", TARGET, "--trust"]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a function that says "yes", and a test that wants to hear that."""
    monkeypatch.chdir(tmp_path)
    workspace(tmp_path, "python", {"function": "app:answer", "workers": 1})
    says(tmp_path, "yes")
    write_test(tmp_path, ROWS, prompt="Answer {q}", check={"contains": "yes"})
    return tmp_path


def says(root: Path, word: str) -> None:
    (root / "app.py").write_text(APP.replace("WORD", word))


def asked(root: Path) -> list[str]:
    file = root / "asked"
    return sorted(file.read_text().splitlines()) if file.exists() else []


def summary(*words: str) -> tuple[int, dict[str, Any]]:
    code, out, err = call(*words, "--json")
    assert out, err
    return code, json.loads(out)


def test_render_shows_the_prompt_and_starts_nothing(app: Path) -> None:
    code, out, _ = call("render", "tests", "--model", TARGET)
    assert code == 0
    assert "Answer question 0" in out
    assert asked(app) == []


def test_an_interrupted_session_is_continued_with_the_application(app: Path) -> None:
    code, _, err = call(*RUN, "--max-requests", "1", "--max-connections", "1")
    assert len(asked(app)) == 1, err
    assert code != 0
    with pytest.raises(UsageError, match="ran with --trust: give it again"):
        call("run", "--resume", "last")
    assert len(asked(app)) == 1
    code, document = summary("run", "--resume", "last", "--trust", "--max-requests", "99")
    assert code == 0
    assert asked(app) == sorted(f"Answer {row['q']}" for row in ROWS), "no row is asked twice"
    [folder] = (app / ".lve/runs").iterdir()
    assert {result.model for result in SessionFolder(folder).results()} == {TARGET}
    assert document["summary"]["results"]["passed"] == 4


def test_errors_of_an_application_are_tried_again(app: Path) -> None:
    (app / "down").touch()
    code, out, _ = call(*RUN)
    assert code == 3, "an error is no failure"
    assert "no database" in out
    before = asked(app).count("Answer question 2")
    (app / "down").unlink()
    code, _, err = call("run", "--retry-errors", "last", "--trust")
    assert code == 0, err
    assert asked(app).count("Answer question 2") == before + 1
    assert asked(app).count("Answer question 1") == 1


def test_two_versions_of_an_application_are_compared_row_by_row(app: Path) -> None:
    assert call(*RUN)[0] == 0
    says(app, "no")
    assert call(*RUN)[0] == 1
    _, document = summary("compare", "last~1", "last")
    [test] = document["tests"]
    assert (test["model_before"], test["model_now"]) == (TARGET, TARGET)
    assert test["difference"]["broken"] == 4


def test_answers_of_an_application_are_judged_again_without_it(app: Path) -> None:
    assert call(*RUN)[0] == 0
    document = json.loads((app / "tests/case/test.json").read_text())
    document["check"] = {"json_path": "$.by", "value": "no", "on": "metadata"}
    (app / "tests/case/test.json").write_text(json.dumps(document))
    count = len(asked(app))
    code, out, err = call("score", "last")
    assert code == 1, out + err
    assert len(asked(app)) == count
