"""`lve prompt`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.prompt_command import RIVER, enter_home, run_prompt
from support.server import model_server

from lve.cli.main import exit_code_of
from lve.errors import AdaptError
from lve.extensions.ragas.prompt import Prompt


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter_home(tmp_path, monkeypatch)


def test_a_prompt_is_saved_listed_and_shown(home: Path) -> None:
    saved = run_prompt("save", "river.json")
    assert saved.output == f"{home}/prompts/english/river.json\n"
    assert "english/river  (river) -> answer, 1 example" in run_prompt("list").output
    [listed] = json.loads(run_prompt("list", "--json").output)
    assert listed["content_hash"] == Prompt(**RIVER).content_hash
    prompt = Prompt(**RIVER)
    assert run_prompt("show", "river").output == prompt.to_string()
    filled = run_prompt("show", "river.json", "-p", "river=Nile").output
    assert filled == prompt.format(river="Nile").to_string()
    assert json.loads(run_prompt("show", "river", "--json").output)["examples"] == RIVER["examples"]


def test_nothing_saved_is_said(home: Path) -> None:
    assert "no prompts are saved in" in run_prompt("list").stderr


def test_a_file_that_is_no_prompt_does_not_hide_the_others(home: Path) -> None:
    run_prompt("save", "river.json")
    (home / "prompts/english/bad.json").write_text("{}")
    result = run_prompt("list")
    assert result.exit_code == 0
    assert "bad.json: instruction cannot be empty" in result.stderr
    assert "english/river" in result.stdout


def test_a_prompt_is_translated_by_a_server(home: Path) -> None:
    run_prompt("save", "river.json")
    with model_server(["Donau", "Schwarzes Meer"]) as server:
        result = run_prompt(
            "adapt", "river", "german", "--model", "openai/m", "--base-url", server.url
        )
        again = run_prompt(
            "adapt", "river", "german", "--model", "openai/m", "--base-url", server.url
        )
        assert len(server.requests) == 2
    assert result.exit_code == 0, result.output
    assert again.output == result.output == f"{home}/prompts/german/river.json\n"
    adapted = Prompt.load("german", "river")
    assert adapted.examples == [{"river": "Donau", "answer": "Schwarzes Meer"}]


def test_a_failing_attempt_is_repeated(home: Path) -> None:
    with model_server("x", faults=["500", None, None], retry_after="0") as server:
        result = run_prompt(
            "adapt", "river.json", "german", "--model", "openai/m", "--base-url", server.url
        )
        assert result.exit_code == 0, result.output
        assert len(server.requests) == 3


def test_a_model_that_answers_badly_leaves_an_error(home: Path) -> None:
    with model_server('""') as server:
        arguments = ["adapt", "river.json", "german", "--model", "openai/m"]
        with pytest.raises(AdaptError, match="the model's last answer: '\"\"'") as caught:
            run_prompt(*arguments, "--base-url", server.url)
    assert exit_code_of(caught.value) == 3
    assert not (home / "prompts/german").exists()
