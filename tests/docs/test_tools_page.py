"""docs/tools.md: its test runs as the page says, its prompt file is one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.command_line import call

from lve.documents.validation.schema import load_schema
from lve.prompts.messages.prompt_file import parse_prompt_file
from lve.prompts.tools.prompt_calls import call_problems
from lve.settings.settings import Caps
from lve.spec.tools import MAX_TOOL_TURNS

PAGE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```(?:yaml|text|python) (\S+)\n(.*?)```", PAGE, re.DOTALL))


def test_the_first_test_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lve.yaml").write_text(FILES["lve.yaml"])
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "test.yaml").write_text(FILES["test.yaml"])
    assert call("check", "t")[0] == 0
    code, out, _ = call("run", "t")
    assert (code, "1 passed" in out) == (0, True)


def test_the_tool_that_is_code_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call_it = {"tool_calls": [{"name": "to_fahrenheit", "arguments": {"celsius": 21}}]}
    answers = {"How much is 21 degrees Celsius in Fahrenheit?": [call_it, "69.8 degrees"]}
    script = {"provider": "scripted", "options": {"answers": answers}}
    (tmp_path / "lve.yaml").write_text(json.dumps({"models": {"my/converter": script}}))
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "test.yaml").write_text(FILES["code.yaml"])
    (tmp_path / "t" / "tools.py").write_text(FILES["tools.py"])
    assert call("check", "t")[0] == 0
    code, out, _ = call("run", "t", "--trust")
    assert (code, "1 passed" in out) == (0, True)


def test_the_prompt_file_has_calls_and_results() -> None:
    parsed = parse_prompt_file(FILES["calls.prompt"], Path("calls.prompt"))
    assert [message.role.value for message in parsed.messages] == ["user", "assistant", "tool"]
    assert not list(call_problems(parsed.messages, ()))


def test_every_key_of_a_mock_is_explained() -> None:
    keys = load_schema("test")["$defs"]["mock"]["properties"]
    assert [key for key in keys if f"| `{key}` |" not in PAGE] == []


def test_the_limits_are_those_on_the_page() -> None:
    assert f"in one turn: {MAX_TOOL_TURNS} if the test says nothing" in PAGE
    assert f"caps: {{tool_turns: {Caps().tool_turns}}}" in PAGE
