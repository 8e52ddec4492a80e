"""A `lve.yaml` from an untrusted folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.command_line import lve
from support.folders import workspace, write_test
from support.server import model_server

from lve.errors import SettingsError
from lve.models.registry import create_model
from lve.pipeline.choosing.loading import choose_workspace
from lve.spec.settings_file import load_workspace

OFFLINE = ("dummy/dummy", "dummy/x", "replay", "hf/some/model", "scripted/x")


@pytest.mark.parametrize("name", OFFLINE)
@pytest.mark.parametrize("provider", ["openai", "azure"])
def test_a_name_that_promises_to_send_nothing(tmp_path: Path, name: str, provider: str) -> None:
    text = f"models:\n  {name}: {{provider: {provider}, base_url: 'http://127.0.0.1:1/v1'}}\n"
    with pytest.raises(SettingsError) as caught:
        load_workspace(workspace(tmp_path, text))
    assert "lve.yaml:2:" in str(caught.value)
    assert f"`{name}` is answered on this machine" in str(caught.value)


@pytest.mark.parametrize("name", OFFLINE)
def test_such_a_name_needs_no_provider(tmp_path: Path, name: str) -> None:
    settings = load_workspace(workspace(tmp_path, f"models: {{{name}: {{max_connections: 1}}}}"))
    assert settings.settings.models[name].provider == name.partition("/")[0]


def test_standing_beside_it_sends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-only-for-tests")
    with model_server() as server:
        where = f"{{base_url: '{server.url}', api_key_env: OPENAI_API_KEY, provider: openai}}"
        monkeypatch.chdir(workspace(tmp_path, f"models: {{dummy/dummy: {where}}}"))
        write_test(tmp_path / "t")
        assert isinstance(lve("run", "t", code=2).exception, SettingsError)
        assert server.requests == []


@pytest.fixture
def outer(tmp_path: Path) -> Path:
    """A workspace with a contributed folder that brings settings."""
    outer = workspace(tmp_path / "outer", "caps: {repeats: 5}")
    write_test(workspace(outer / "given" / "suite", "allow_downloads: true") / "t", repeats=50)
    return outer


@pytest.mark.parametrize("below", ["given/suite", "given/suite/t", "given", "."])
def test_settings_inside_a_workspace_do_not_count(
    outer: Path, monkeypatch: pytest.MonkeyPatch, below: str
) -> None:
    monkeypatch.chdir(outer / below)
    chosen = choose_workspace(["."])
    assert (chosen.root, chosen.settings.allow_downloads) == (outer, False)
    assert (
        "50 is more than the 5 allowed" in lve("check", str(outer / "given/suite/t"), code=2).output
    )


def test_a_repository_is_a_world_of_its_own(outer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (outer / "given" / "suite" / ".git").mkdir()
    monkeypatch.chdir(outer / "given" / "suite")
    assert choose_workspace(["."]).root == outer / "given" / "suite"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_another_users_workspace_above_does_not_count(outer: Path) -> None:
    os.chown(outer, 12345, -1)
    assert load_workspace(outer / "given" / "suite").root == outer / "given" / "suite"


def test_another_workspace_raises_no_caps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace(
        tmp_path / "theirs", "caps: {repeats: 100000, rows: 7, tool_turns: 900, user_turns: 900}"
    )
    monkeypatch.chdir(workspace(tmp_path / "mine"))
    caps = choose_workspace([tmp_path / "theirs"]).settings.caps
    assert (caps.repeats, caps.rows, caps.tool_turns, caps.user_turns) == (100, 7, 50, 50)


@pytest.mark.parametrize("how", ["above", "absolute", "link", "pipe", "folder"])
def test_scripted_answers_from_elsewhere(tmp_path: Path, how: str) -> None:
    private = tmp_path / "private.json"
    private.write_text(json.dumps(["a private answer"]))
    root = workspace(tmp_path / "suite")
    named = {"above": "../private.json", "absolute": str(private)}.get(how, "answers.json")
    if how == "link":
        (root / named).symlink_to(private)
    elif how == "pipe":
        os.mkfifo(root / named)
    elif how == "folder":
        (root / named).mkdir()
    workspace(root, f"models: {{my/s: {{provider: scripted, options: {{answers: '{named}'}}}}}}")
    with pytest.raises(SettingsError, match="can't read its answers") as caught:
        create_model("my/s", load_workspace(root).settings)
    assert "private answer" not in str(caught.value)


@pytest.mark.parametrize(
    "content", ["!!python/object/apply:os.system [id]", "&a [*a, *a]", "a: [", '["a"', "\x00"]
)
def test_scripted_answers_that_are_hostile(tmp_path: Path, content: str) -> None:
    (tmp_path / "answers.yaml").write_text(content)
    settings = "models: {my/s: {provider: scripted, options: {answers: answers.yaml}}}"
    with pytest.raises(SettingsError, match="is not YAML or JSON"):
        create_model("my/s", load_workspace(workspace(tmp_path, settings)).settings)
