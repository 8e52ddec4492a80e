"""The environments of other tools."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lve.errors import UsageError
from lve.extensions.importing.boxes import box
from lve.extensions.importing.boxes.box import TOOLS, Tool, cache_folder, set_up


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    monkeypatch.setenv("LVE_TOOLS", str(tmp_path / "tools"))
    (tmp_path / "requirements.txt").write_text("")
    return Tool("own", tmp_path / "requirements.txt")


def test_an_environment_is_made_once(tool: Tool) -> None:
    assert not tool.is_set_up
    assert set_up(tool)
    assert tool.is_set_up
    assert tool.python.exists()
    assert not set_up(tool)


def test_one_that_was_interrupted_is_made_again(tool: Tool) -> None:
    tool.folder.mkdir(parents=True)
    (tool.folder / "rest").touch()
    assert set_up(tool)
    assert not (tool.folder / "rest").exists()


def test_packages_that_cannot_be_installed_are_told(tool: Tool) -> None:
    tool.requirements.write_text("./nowhere\n")
    with pytest.raises(UsageError, match=r"the environment can.t be made: .*nowhere"):
        set_up(tool)
    assert not tool.is_set_up


def test_other_requirements_are_another_environment(tool: Tool) -> None:
    first = tool.folder
    tool.requirements.write_text("x==1\n")
    assert tool.folder != first
    assert tool.folder.parent == first.parent == cache_folder()


def test_by_default_it_is_in_the_users_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LVE_TOOLS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    assert cache_folder() == Path("/c/lve/tools")


def test_pip_gets_no_keys(monkeypatch: pytest.MonkeyPatch, tool: Tool) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("PIP_INDEX_URL", "https://example.org/simple")
    kept = box.child_environment(os.environ, box._REGISTRY)
    assert "OPENAI_API_KEY" not in kept
    assert kept["PIP_INDEX_URL"] == "https://example.org/simple"


@pytest.mark.parametrize(
    ("name", "pin"), [("lm-eval", "lm_eval==0.4.13"), ("openai-evals", "evals==3.0.1.post1")]
)
def test_all_requirements_are_pinned(name: str, pin: str) -> None:
    lines = TOOLS[name].requirements.read_text("utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(line.count("==") == 1 for line in pins)
    assert pin in pins
    assert not [line for line in pins if line.startswith(("torch", "transformers"))]


def test_packages_of_npm_are_installed_without_their_scripts(
    tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "node").write_text("#!/bin/sh\necho linux-x64\n")
    (programs / "npm").write_text(f"#!/bin/sh\necho $@ > {tmp_path}/asked\n")
    for file in programs.iterdir():
        file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    own = tool._replace(modules=("x@1", "@y/PLATFORM@2"), before="2026-11-20")
    assert own.folder != tool.folder
    assert set_up(own)
    asked = (tmp_path / "asked").read_text().split()
    assert asked[-2:] == ["x@1", "@y/linux-x64@2"]
    assert {"--ignore-scripts", "--before=2026-11-20"} < set(asked)
    assert str(own.folder) in asked


def test_without_node_that_is_said(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="node isn't installed"):
        set_up(tool._replace(modules=("x@1",)))
    assert not tool.is_set_up
