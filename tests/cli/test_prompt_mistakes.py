"""`lve prompt` with names, files and folders that can't be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lve.cli.main import cli
from lve.errors import PromptExistsError, PromptObjectError, UsageError
from lve.prompts.prompt_object import Prompt

RIVER = {
    "name": "river",
    "instruction": "Name the mouth of the river.",
    "input_keys": ["river"],
    "output_key": "answer",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LVE_CACHE_HOME", str(tmp_path / "prompts"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    Path("river.json").write_text(json.dumps(RIVER), encoding="utf-8")
    Path("broken.json").write_text("no", encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["prompt", *arguments], catch_exceptions=False)


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
    with pytest.raises((PromptObjectError, UsageError)) as caught:
        run(*arguments)
    assert message in str(caught.value)


def test_a_changed_prompt_is_replaced_on_request_only() -> None:
    run("save", "river.json")
    Path("river.json").write_text(json.dumps({**RIVER, "instruction": "Other."}))
    with pytest.raises(PromptExistsError, match="--overwrite"):
        run("save", "river.json")
    assert run("save", "river.json", "--overwrite").exit_code == 0
    assert Prompt.load("english", "river").instruction == "Other."


def test_the_list_names_what_can_not_be_read(home: Path) -> None:
    run("save", "river.json")
    (home / "prompts/english/folder.json").mkdir()
    (home / "prompts/english/link.json").symlink_to("nowhere")
    result = run("list")
    assert result.exit_code == 0
    assert "folder.json: can't be read (Is a directory)" in result.stderr
    assert "link.json: no such file" in result.stderr
    assert "english/river" in result.stdout
