"""CONTRIBUTING.md and what GitHub shows to contributors: GitHub can read it, and it is true."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from lve.cli.main import cli

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
FORMS = ("bug", "feature", "new_test")
SHORT_GUIDE = "CONTRIBUTING.md"
TEXTS = (
    SHORT_GUIDE,
    ".github/pull_request_template.md",
    *(f".github/ISSUE_TEMPLATE/{name}.yml" for name in FORMS),
)


def read_form(name: str) -> dict[str, Any]:
    text = (GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml").read_text("utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def test_no_form_is_left_out_here() -> None:
    there = {file.stem for file in (GITHUB / "ISSUE_TEMPLATE").iterdir()}
    assert there == {*FORMS, "config"}


@pytest.mark.parametrize(
    ("schema", "names"), [("github-issue-forms", FORMS), ("github-issue-config", ("config",))]
)
def test_github_can_read_the_forms(schema: str, names: tuple[str, ...]) -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    files = [str(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml") for name in names]
    done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", TEXTS)
def test_the_commands_exist(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    commands = re.findall(r"(?:`|^)lve ([a-z-]+)([^`\n#]*)", text, re.MULTILINE)
    for verb, rest in commands:
        command = cli.get_command(None, verb)  # type: ignore[arg-type]
        assert command is not None, verb
        known = {option for each in command.params for option in each.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known, (verb, rest)
    assert commands or "feature" in name


@pytest.mark.parametrize("target", re.findall(r"make ([a-z]+)`", (ROOT / SHORT_GUIDE).read_text()))
def test_the_targets_of_make_exist(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def test_a_new_test_has_the_categories_that_there_are() -> None:
    [asked] = [part for part in read_form("new_test")["body"] if part.get("id") == "category"]
    table = (ROOT / "repository/README.md").read_text("utf-8")
    known = re.findall(r"^\| \[(\w+)\]", table, re.MULTILINE)
    assert asked["attributes"]["options"] == [*(k for k in known if k != "dummy"), "a new one"]


def test_a_weakness_is_told_in_private() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    [repository] = re.findall('^Documentation = "(.*)/tree/', project, re.MULTILINE)
    [link] = read_form("config")["contact_links"]
    assert link["url"] == f"{repository}/security/advisories/new"
