"""`lve prompt` with names, files and folders that can't be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extensions.ragas.river import RIVER, enter_home
from support.command_line import lve

from lve.extensions.ragas.saved_prompt import Prompt


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter_home(tmp_path, monkeypatch)
    Path("broken.json").write_text("no", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "nope"), "nope.json: no prompt is saved here"),
        (("show", "nope.json"), "nope.json: no such file"),
        (("show", "river.json", "-p", "sea=1"), "missing: river; unknown: sea"),
        (("show", "river", "--language", "../x"), "can't name a file"),
        (("save", "broken.json"), "broken.json:1:1: not JSON"),
        (("save", "river.json", "--cache-dir", "broken.json/x"), "can't be written"),
        (("adapt", "river.json", "../x", "--model", "openai/m"), "can't name a file"),
        (("adapt", "river.json", "german", "--model", "nope/m"), "unknown model"),
    ],
)
def test_it_is_said_what_is_wrong(arguments: tuple[str, ...], message: str) -> None:
    assert message in lve("prompt", *arguments, code=2).stderr


def test_a_changed_prompt_is_replaced_on_request_only() -> None:
    lve("prompt", "save", "river.json")
    Path("river.json").write_text(json.dumps({**RIVER, "instruction": "Other."}))
    assert "--overwrite" in lve("prompt", "save", "river.json", code=2).stderr
    lve("prompt", "save", "river.json", "--overwrite")
    assert Prompt.load("english", "river").instruction == "Other."


def test_the_list_names_what_can_not_be_read(home: Path) -> None:
    lve("prompt", "save", "river.json")
    (home / "prompts/english/folder.json").mkdir()
    (home / "prompts/english/link.json").symlink_to("nowhere")
    result = lve("prompt", "list")
    assert "folder.json: can't be read (Is a directory)" in result.stderr
    assert "link.json: no such file" in result.stderr
    assert "english/river" in result.stdout


def test_a_field_without_an_effect_is_told() -> None:
    Path("river.json").write_text(json.dumps({**RIVER, "colour": "blue"}), encoding="utf-8")
    for arguments in (("save", "river.json"), ("show", "river.json")):
        assert ": colour: without effect on the prompt" in lve("prompt", *arguments).stderr, (
            arguments
        )
