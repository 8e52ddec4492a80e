"""docs/troubleshooting.md: the messages are lve's, the options exist, YAML reads what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from support.command_line import lve
from support.folders import write_test
from support.server import model_server

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
MESSAGES = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
WRITTEN = re.findall(r"^\| `(\w+): (.*?)` \| (.*?) \| `\w+: (.*?)` \|$", PAGE, re.MULTILINE)
MODEL = "openai/gpt-6-luna"
CHECKER = """
from lve.checkers.base import BaseChecker

class Palindrome(BaseChecker):
    def is_safe(self, response):
        return True
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_wrong_key_says_what_the_page_shows(tmp_path: Path) -> None:
    write_test(tmp_path / "t", instances=[{"args": {}}] * 30)
    with model_server(401) as server:
        lve("run", "t", "--model", MODEL, "--base-url", server.url, "-j", "1", code=3)
    shown = lve("show", "last", "--failures").output
    assert MESSAGES[0].removesuffix("...") in " ".join(shown.split())


def test_code_that_nobody_trusts_is_skipped_as_the_page_shows(tmp_path: Path) -> None:
    write_test(tmp_path / "t", checker_args={"checker_name": "Palindrome"})
    (tmp_path / "t" / "checker").mkdir()
    (tmp_path / "t" / "checker" / "checker.py").write_text(CHECKER, encoding="utf-8")
    done = lve("run", "t", "--model", "dummy/dummy", code=5)
    assert MESSAGES[1].removesuffix("...") in " ".join(done.output.split())


def test_nothing_selected_says_what_the_page_shows(tmp_path: Path) -> None:
    write_test(tmp_path / "t")
    done = lve("run", "t", "--model", "dummy/dummy", "-k", "nowhere", code=5)
    assert MESSAGES[2] in " ".join(done.output.split())


def test_all_options_of_the_page_exist() -> None:
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE)) - {"--collect-only"}
    known = set(re.findall(r"--[a-z][a-z-]*", (DOCS / "cli.md").read_text(encoding="utf-8")))
    assert len(named) > 10
    assert named <= known


@pytest.mark.parametrize(("key", "wrong", "means", "right"), WRITTEN)
def test_yaml_reads_what_the_page_says(key: str, wrong: str, means: str, right: str) -> None:
    assert yaml.safe_load(f"{key}: {right}") == {key: right.strip('"')}
    if means.startswith("an error"):
        with pytest.raises(yaml.YAMLError):
            yaml.safe_load(f"{key}: {wrong}")
    else:
        assert yaml.safe_load(f"{key}: {wrong}")[key] in [{"city": None}, False, 1.1]


def test_the_page_has_mistakes_in_yaml() -> None:
    assert len(WRITTEN) == 5
