"""`lve export promptfoo`: configurations whose assertions give the verdicts of lve's checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.command_line import call
from support.folders import workspace, write_test

from lve.errors import UsageError

LOCAL = "models: {my/m: {provider: openai, model: m, base_url: 'http://localhost:1/v1'}}"
ROWS = [{"country": "France", "city": "Paris"}, {"country": "{{x}}", "city": "{%"}]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty workspace."""
    monkeypatch.chdir(workspace(tmp_path, LOCAL))
    return tmp_path


def exported(*arguments: str) -> tuple[Any, str]:
    """Export tests; return the first configuration and what was said."""
    code, _, err = call("export", "promptfoo", *arguments, "-o", "made")
    assert not code
    file = sorted(Path("made").rglob("promptfooconfig.yaml"))[0]
    return yaml.safe_load(file.read_text("utf-8")), err


@pytest.mark.usefixtures("root")
def test_a_test_becomes_a_configuration() -> None:
    write_test(
        Path("t"),
        model="my/m",
        prompt=None,
        prompts={"plain": "{{x}} {country:>8}?", "chat": [{"system": "S"}, {"user": "{country}"}]},
        prompt_parameters=["country", "city"],
        dataset=ROWS,
        checker_args=None,
        checks=[{"contains": "{city}", "ignore_case": True}, {"not": {"equals": "{city}!"}}],
    )
    config, err = exported("t")
    first, second = config["prompts"]
    assert json.loads(first["raw"]) == [{"role": "user", "content": "{x} {{ lve_text_1 }}?"}]
    assert json.loads(second["raw"])[1] == {"role": "user", "content": "{{ country }}"}
    assert [first["label"], second["label"]] == ["plain", "chat"]
    [provider] = config["providers"]
    assert provider["id"] == "openai:chat:m"
    assert provider["config"]["apiBaseUrl"] == "http://localhost:1/v1"
    assert config["defaultTest"]["assert"][0] == {"type": "icontains", "value": "{{ city }}"}
    assert 'context.vars["city"]' in config["defaultTest"]["assert"][1]["value"]
    rows = [test["vars"] for test in config["tests"]]
    assert rows[0] == {"lve_text_1": "  France", "country": "France", "city": "Paris"}
    assert rows[1]["country"] == "{{x}}"
    assert "no limit of tokens" in err


@pytest.mark.usefixtures("root")
def test_what_promptfoo_lacks_is_said_with_its_place() -> None:
    write_test(
        Path("t"),
        model="my/m",
        models=None,
        prompt="{q}",
        prompt_parameters=["q"],
        dataset=[
            {"q": "file:///etc/passwd"},
            {"q": "x", "seed": 3},
            {"q": "fine"},
            {"q": "{{ q }}"},
        ],
        checker_args=None,
        checks=[{"contains": "a"}, {"max_words": 3}, {"judge": "Is it kind?"}],
        expect={"pass_rate": ">=0.9"},
        repeats=3,
    )
    config, err = exported("t")
    assert config["tests"] == [{"vars": {"q": "fine"}}]
    assert [a["type"] for a in config["defaultTest"]["assert"]] == ["contains", "llm-rubric"]
    for why in (
        "not exported: the check `max_words`", "words in which `judge` asks", "--repeat 3",
        "values name files", "values name variables", "model args of their own",
        "expect: pass rate >= 0.9",
    ):  # fmt: skip
        assert why in err
    assert "t/test.json:" in err


@pytest.mark.usefixtures("root")
def test_mistakes_are_said() -> None:
    write_test(Path("t"), prompt="{q}", model="my/m")
    assert call("export", "promptfoo", "t", "-o", "made")[0] == 2
    assert not Path("made").exists()
    write_test(Path("u"), model="dummy/dummy")
    with pytest.raises(UsageError, match="no test has an equal"):
        call("export", "promptfoo", "u", "-o", "made")
    write_test(Path("v"), model="my/m", checker_args=None, check={"contains": "a"})
    Path("made").mkdir()
    Path("made/mine.txt").touch()
    with pytest.raises(UsageError, match="made exists"):
        call("export", "promptfoo", "v", "-o", "made")
