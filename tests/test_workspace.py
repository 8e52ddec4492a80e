"""A workspace: its root, its models' settings, its folder of sessions, and paths in messages."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lve.errors import UsageError
from lve.escape import keyless
from lve.secrets import redaction
from lve.settings.model_settings import ModelSettings, offline_provider
from lve.settings.settings import Settings
from lve.workspace import (
    Workspace,
    display_path,
    find_root,
    has_tool_table,
    is_root,
    make_session_dir,
)


def folder(path: Path, *files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name in files:
        (path / name).write_text("", encoding="utf-8")
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder somewhere else to stand in."""
    monkeypatch.chdir(folder(tmp_path / "here"))
    return tmp_path


@pytest.mark.parametrize(
    ("files", "root"),
    [
        ({"a": "lve.yaml"}, "a"),
        ({"a": "lve.yaml", "a/b": "lve.yaml"}, "a"),
        ({"a": ".lverepo", "a/b/c": "lve.yaml"}, "a"),
        ({"a/b": "lve.yaml"}, "a/b"),
        ({"a": "pyproject.toml", "a/b": "lve.yaml"}, "a/b"),
        ({"a": "lve.yaml", "a/b": "lve.yaml .git"}, "a/b"),
        ({"a": "lve.yaml .git", "": "lve.yaml"}, "a"),
        ({}, "a/b/c"),
        ({"a/b/c": "test.json"}, "a/b"),
        ({"a/b/c": "test.yaml"}, "a/b"),
    ],
)
def test_the_outermost_root_of_a_repository_counts(
    files: dict[str, str], root: str, here: Path
) -> None:
    start = folder(here / "a/b/c")
    for place, names in files.items():
        folder(here / place, *names.split())
    assert find_root(start) == here / root
    assert find_root(folder(start, "x.txt") / "x.txt") == here / root


def test_without_a_root_one_stands_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = folder(tmp_path / "a/b")
    monkeypatch.chdir(tmp_path / "a")
    assert find_root(start) == tmp_path / "a"
    assert find_root(Path("b")) == tmp_path / "a"


def test_a_pyproject_counts_with_a_table_of_ours(tmp_path: Path) -> None:
    assert not has_tool_table(tmp_path / "pyproject.toml")
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    assert not is_root(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.lve.models]\n")
    assert is_root(tmp_path)
    assert not has_tool_table(folder(tmp_path / "dir/pyproject.toml"))


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("[tool]\nlve = 3\n", True),
        ("[tool] # all\n\nruff = {}\n  lve.model = 'x'\n", True),
        ("[ tool . lve ]\n", True),
        ("tool.lve.model = 'x'\n", True),
        ("[project.scripts]\nlve = 'x:y'\n", False),
        ("[tool]\nruff = {}\n[other]\nlve = 3\n", False),
        ("[tool]\nlvex = 3\n[tool.lvely]\n", False),
        ("# see [tool.lve]\n[project]\ndependencies = ['lve']\n", False),
    ],
)
def test_every_way_to_write_the_table_counts(tmp_path: Path, text: str, counts: bool) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert is_root(tmp_path) is counts


def test_settings_of_a_model_may_follow_from_its_name() -> None:
    own = ModelSettings("openai", model="x")
    settings = Settings(models={"a": own, "hf/b": own})
    assert settings.entry("a") is settings.entry("hf/b") is own
    assert settings.entry("hf/c") == ModelSettings(provider="hf")
    assert settings.entry("openai/c") is None


@pytest.mark.parametrize(
    ("model", "provider"),
    [("dummy/dummy", "dummy"), ("dummy", "dummy"), ("openai/dummy", None), ("", None)],
)
def test_a_name_of_a_model_that_sends_nothing_is_reserved(model: str, provider: str | None) -> None:
    assert offline_provider(model) == provider


def test_keys_that_the_settings_name_are_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAIN", "a-value-of-mine")
    monkeypatch.setattr(redaction, "_key_variables", set())
    Workspace(Path()).note_keys()
    assert keyless("a-value-of-mine") == redaction.redact("a-value-of-mine") == "a-value-of-mine"
    settings = Settings(models={"m": ModelSettings(api_key_env="PLAIN")})
    Workspace(Path(), settings).note_keys()
    assert keyless("a-value-of-mine") == redaction.redact("a-value-of-mine") == "[redacted]"


def test_a_folder_of_sessions_is_made_once_and_git_ignores_it(tmp_path: Path) -> None:
    made = Workspace(tmp_path).session_dir
    assert not made.exists()
    make_session_dir(made)
    assert (made / ".gitignore").read_text() == "*\n"
    (made / ".gitignore").write_text("mine")
    make_session_dir(made)
    assert (made / ".gitignore").read_text() == "mine"
    named = folder(tmp_path / "named")
    make_session_dir(named)
    assert list(named.iterdir()) == []


def test_a_folder_of_sessions_that_git_tracks_came_with_a_clone(tmp_path: Path) -> None:
    folder(tmp_path / ".lve", "cache.db")
    workspace = Workspace(tmp_path)
    assert workspace.session_dir == tmp_path / ".lve"
    for command in (["init", "-q"], ["add", "-f", ".lve/cache.db"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    with pytest.raises(UsageError, match="git tracks it, so its sessions and cached answers"):
        _ = workspace.session_dir


def test_paths_in_messages_are_short_where_they_can_be(here: Path) -> None:
    assert display_path(Path.cwd() / "a/b") == Path("a/b")
    assert display_path(here / "a") == here / "a"
    assert display_path(Path("../x")) == Path("../x")
