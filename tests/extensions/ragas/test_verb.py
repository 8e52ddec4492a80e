"""`lve prompt`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extensions.ragas.river import RIVER, enter_home
from support.command_line import lve
from support.server import model_server

from lve.extensions.ragas.saved_prompt import Prompt


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter_home(tmp_path, monkeypatch)


def test_a_prompt_is_saved_listed_and_shown(home: Path) -> None:
    saved = lve("prompt", "save", "river.json")
    assert saved.output == f"{home}/prompts/english/river.json\n"
    assert "english/river  (river) -> answer, 1 example" in lve("prompt", "list").output
    [listed] = json.loads(lve("prompt", "list", "--json").output)
    assert listed["content_hash"] == Prompt(**RIVER).content_hash
    prompt = Prompt(**RIVER)
    assert lve("prompt", "show", "river").output == prompt.to_string()
    filled = lve("prompt", "show", "river.json", "-p", "river=Nile").output
    assert filled == prompt.format(river="Nile").to_string()
    shown = json.loads(lve("prompt", "show", "river", "--json").output)
    assert shown["examples"] == RIVER["examples"]


def test_nothing_saved_is_said(home: Path) -> None:
    assert "no prompts are saved in" in lve("prompt", "list").stderr


def test_a_file_that_is_no_prompt_does_not_hide_the_others(home: Path) -> None:
    lve("prompt", "save", "river.json")
    (home / "prompts/english/bad.json").write_text("{}")
    result = lve("prompt", "list")
    assert "bad.json: instruction cannot be empty" in result.stderr
    assert "english/river" in result.stdout


def test_a_prompt_is_translated_by_a_server(home: Path) -> None:
    lve("prompt", "save", "river.json")
    with model_server(["Donau", "Schwarzes Meer"]) as server:
        words = ("adapt", "river", "german", "--model", "openai/m", "--base-url", server.url)
        result, again = (lve("prompt", *words) for _ in "12")
        assert len(server.requests) == 2
    assert again.output == result.output == f"{home}/prompts/german/river.json\n"
    adapted = Prompt.load("german", "river")
    assert adapted.examples == [{"river": "Donau", "answer": "Schwarzes Meer"}]


def test_a_failing_attempt_is_repeated(home: Path) -> None:
    with model_server("x", faults=["500", None, None], retry_after="0") as server:
        lve(
            "prompt",
            "adapt",
            "river.json",
            "german",
            "--model",
            "openai/m",
            "--base-url",
            server.url,
        )
        assert len(server.requests) == 3


def test_a_model_that_answers_badly_leaves_an_error(home: Path) -> None:
    with model_server('""') as server:
        arguments = ["adapt", "river.json", "german", "--model", "openai/m"]
        result = lve("prompt", *arguments, "--base-url", server.url, code=3)
    assert "the model's last answer: '\"\"'" in result.stderr
    assert not (home / "prompts/german").exists()
