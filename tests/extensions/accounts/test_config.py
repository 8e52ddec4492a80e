"""`lve run --show-config`: what holds, and who says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call, lve
from support.folders import workspace, write_test

SETTINGS = """\
model: openai/fallback
caps: {max_tokens: 100}
models:
  openai/m: {args: {top_p: 0.5, seed: 7}, price: {input: 1, output: 2}}
trust:
  - {path: a.py, sha256: "%s"}
""" % ("0" * 64)


@pytest.fixture
def tree(root: Path) -> Path:
    workspace(root, SETTINGS)
    write_test(root / "a", model="openai/m", default_model_args={"seed": 1}, repeats=3)
    write_test(root / "b", model=None)
    return root


def shown(*arguments: str) -> dict[str, dict[str, tuple[Any, str]]]:
    """Return part -> name -> value and origin."""
    code, out, _ = call("run", "--show-config", "--json", *arguments)
    assert code == 0
    found = json.loads(out)
    parts = {**{test["path"]: test["values"] for test in found["tests"]}}
    parts |= {name: found[name] for name in ("options", "settings")}
    return {
        part: {one["name"].strip(): (one["value"], one["origin"]) for one in values}
        for part, values in parts.items()
    }


@pytest.mark.usefixtures("tree")
def test_options_say_where_they_are_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LVE_LIMIT", "3")
    monkeypatch.setenv("LVE_BUDGET", "2")
    options = shown("--sample", "5", "--no-cache")["options"]
    assert options["--limit"] == (3, "LVE_LIMIT")
    assert options["--max-cost"] == (2.0, "LVE_BUDGET")
    assert options["--sample"] == (5, "command line")
    assert options["--no-cache"] == (True, "command line")
    assert options["--trust"] == (False, "default")
    assert options["--deadline"] == ("600", "default")


@pytest.mark.usefixtures("tree")
def test_settings_say_their_file() -> None:
    settings = shown()["settings"]
    assert settings["caps.max_tokens"] == (100, "lve.yaml")
    assert settings["models.openai/m.args.seed"] == (7, "lve.yaml")
    assert settings["trust[0].path"] == ("a.py", "lve.yaml")


@pytest.mark.usefixtures("tree")
def test_each_test_says_what_its_model_gets() -> None:
    found = shown("--model-arg", "max_tokens=50")
    assert found["a"]["model"] == ("openai/m", "test.json")
    assert found["a"]["seed"] == (1, "test.json")
    assert found["a"]["top_p"] == (0.5, "lve.yaml")
    assert found["a"]["temperature"] == (0, "default")
    assert found["a"]["max_tokens"] == (50, "command line")
    assert found["a"]["max_tokens, at most"] == (100, "lve.yaml")
    assert found["a"]["repeats"] == (3, "test.json")
    assert found["b"]["model"] == ("openai/fallback", "lve.yaml")
    assert found["b"]["repeats"] == (1, "default")
    other = shown("-m", "dummy/dummy", "--repeats", "2", "-k", "a")
    assert other["a"]["model"] == ("dummy/dummy", "command line")
    assert other["a"]["repeats"] == (2, "command line")
    assert "b" not in other


def test_checks_and_tags_say_their_suite(tree: Path) -> None:
    (tree / "suite.yaml").write_text(
        "checks: [{contains: x}]\ntags: [{name: severity, value: low}]\n"
    )
    write_test(tree / "c", checker_args=None, tags=[{"name": "topic", "value": "x"}])
    code, out, _ = call("run", "--show-config", "c")
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[-3:] == [
        "checks contains (suite.yaml)",
        "tag topic=x (test.json)",
        "tag severity=low (suite.yaml)",
    ]
    assert shown("a")["a"]["checks"] == (["RegexChecker"], "test.json")


def test_text_is_lines_of_name_value_and_origin(tree: Path) -> None:
    out = lve("run", "--show-config", "-m", "replay", "-p", "x=1").stdout
    assert "  --model               replay  (command line)\n" in out
    assert "  --parameter           x=1  (command line)\n" in out
    assert "  --trust               no  (default)\n" in out
    assert "\nsettings\n  model " in out
    assert "\na\n  model " in out
    assert not (tree / ".lve").exists(), "no session begins"


def test_secrets_are_left_out(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")
    for form in ([], ["--json"]):
        out = lve("run", "--show-config", "-p", "x=sk-very-secret-0123456789", *form).stdout
        assert "--parameter" in out
        assert "sk-very" not in out
    assert tree.is_dir()


def test_settings_of_another_workspace_say_so(
    tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path_factory.mktemp("mine")))
    origin = shown(str(tree))["settings"]["caps.max_tokens"][1]
    assert origin.endswith("lve.yaml (another workspace's: grants nothing)")


def test_invalid_tests_and_none(tree: Path) -> None:
    assert "no test in this folder matches -k" in call("run", "--show-config", "-k", "zz")[2]
    (tree / "b" / "test.json").write_text("{")
    code, out, err = call("run", "--show-config")
    assert code == 2
    assert "b/test.json" in err
    assert "\na\n" in out


@pytest.mark.parametrize("other", ["--resume", "--watch", "--dry-run", "--jsonl"])
@pytest.mark.usefixtures("tree")
def test_it_goes_alone(other: str) -> None:
    result = lve("run", "--show-config", other, code=2)
    assert "don't go together" in result.stderr
