"""Configurations of promptfoo: each case is one, with the folders and the remarks it must give."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.command_line import call
from support.folders import workspace

from lve.errors import LveError, SpecError, UsageError
from lve.extensions.importing.promptfoo import config as module
from lve.extensions.importing.promptfoo import source
from lve.extensions.importing.promptfoo.config import read_config
from lve.importers import ImportedTest

CASES = Path(__file__).parents[3] / "cases" / "importers" / "promptfoo"


def contents(folder: Path) -> dict[str, str]:
    """Return name -> text of all files below a folder."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in files}


@pytest.mark.parametrize("name", sorted(case.name for case in CASES.iterdir()))
def test_a_configuration_becomes_folders(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    # A file outside the folder is there, and is not read.
    shutil.copytree(CASES / "checks", tmp_path / "checks")
    home = shutil.copytree(CASES / name, tmp_path / "case")
    monkeypatch.chdir(home)
    code, out, err = call("import", "promptfoo", ".", "-o", "made")
    assert contents(Path("made")) == contents(Path("expected"))
    told = Path("left_out.txt").read_text("utf-8").splitlines()
    said = [line.removeprefix("lve: ").removeprefix("warning: ") for line in err.splitlines()]
    assert said == told
    assert code == 0
    assert out.endswith(": all valid\n")


def test_what_is_imported_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    Path("config.yaml").write_text(
        "prompts: ['Say {{x}} and {y}.']\n"
        "tests: [{vars: {x: [a, b]}, assert: [{type: regex, value: '^.{2,}$'}]}]\n"
    )
    assert call("import", "promptfoo", "config.yaml", "-o", "made")[:2] == (
        0,
        "1 test: all valid\n",
    )
    code, out, _ = call("run", "made", "--model", "dummy/dummy", "--json")
    assert code == 0
    assert len(json.loads(out)["tests"][0]["instances"]) == 2
    out = call("render", "made")[1]
    assert "Say a and {y}." in out
    assert "Say b and {y}." in out


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("a: [", SpecError, "config.yaml:2:1: not valid YAML"),
        ("[]", UsageError, "config.yaml is not a configuration of promptfoo"),
        ("description: x", UsageError, "config.yaml is not a configuration of promptfoo"),
        ("tests: [{assert: [{type: javascript}]}]", UsageError, "no test that can be imported"),
        ("prompts: [x, x]\ntests: 7", UsageError, "no test that can be imported"),
        ("prompts: {}\nproviders: {}\ndefaultTest: 1", UsageError, "no test that can be imported"),
    ],
)
def test_what_cannot_be_imported_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, kind: type[LveError], said: str
) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    Path("config.yaml").write_text(text)
    with pytest.raises(kind) as caught:
        call("import", "promptfoo", "config.yaml", "-o", "made")
    assert said in str(caught.value)
    assert not Path("made").exists()


def test_a_configuration_that_multiplies_itself_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, rows = tmp_path / "c.yaml", "\n".join("- {}" for _ in range(300))
    many = "\n".join("    - {type: contains, value: x}" for _ in range(200))
    file.write_text(f"prompts: x\ntests: file://t.yaml\ndefaultTest:\n  assert:\n{many}\n")
    (tmp_path / "t.yaml").write_text(rows)
    with monkeypatch.context() as patch:
        patch.setattr(source, "MAX_STEPS", 50_000)  # a tenth: what is counted takes its time
        with pytest.raises(UsageError, match="too large"):
            read_config(file)
    broken = ", ".join(["file://t.json"] * 60)
    (tmp_path / "t.json").write_text("{")
    file.write_text(f"prompts: x\ntests: [{broken}]")
    with pytest.raises(UsageError, match="too large"):
        read_config(file)
    (tmp_path / "long.txt").write_text("x" * 900_000)
    names = ", ".join(["file://long.txt"] * 60)
    file.write_text(f"prompts: [{names}]\ntests: [assert: [x]]")
    with pytest.raises(UsageError, match="too large"):
        read_config(file)


def test_prompts_times_tests_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("prompts: [x, y, z]\ntests: [{assert: [x]}, {assert: [y]}]")
    monkeypatch.setattr(module, "MAX_TESTS", 5)
    with pytest.raises(UsageError, match="more than 5 tests"):
        read_config(file)
    file.write_text("prompts: ['{{a}}']\ntests: [{vars: {a: 'xxxxxxxxxx'}, assert: [x]}]")
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    with pytest.raises(UsageError, match="more than 10 bytes"):
        read_config(file)


def test_rows_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ROWS", 3)
    file = tmp_path / "c.yaml"
    file.write_text("prompts: x\ntests: [{vars: {x: [1, 2, 3, 4]}, assert: [y]}]")
    with pytest.raises(UsageError, match="more than 3 rows"):
        read_config(file)


def test_a_test_that_asserts_nothing_passes_with_any_answer_and_that_is_told(
    tmp_path: Path,
) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("prompts: 'Say {{x}}'\ntests: [{vars: {x: a}}, {vars: {x: b}, assert: [b]}]")
    imported = read_config(file)
    assert [test.document["checks"] for test in imported.tests] == [
        [{"expression": "lambda output: True"}],
        [{"exact_match": "b", "normalise": "none"}],
    ]
    assert imported.left_out == []
    assert "asserts nothing" in imported.notes[0]


def test_a_test_whose_assertions_weigh_nothing_passes_with_any_answer(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    asserted = "assert: [{type: contains, value: b, weight: 0}]"
    file.write_text(f"prompts: x\ntests: [{{{asserted}}}, {{{asserted}, threshold: 0.5}}]")
    imported = read_config(file)
    checks = [test.document["checks"] for test in imported.tests]
    assert checks == [[{"expression": "lambda output: True"}]]
    assert "a set in which nothing has a weight" in "".join(imported.left_out)


def test_attacks_that_promptfoo_would_generate_are_no_test(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("prompts: 'Say {{x}}'\nredteam: {plugins: [pii]}")
    assert read_config(file).tests == []
    file.write_text("prompts: Say it")
    assert len(read_config(file).tests) == 1


def test_notes_are_printed_and_in_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace(tmp_path))
    Path("c.yaml").write_text("prompts: Say it\nproviders: perplexity:sonar")
    assert (
        "lve: note: lve.yaml says where perplexity/sonar is served: `models: "
        in call("import", "promptfoo", "c.yaml", "-o", "a")[2]
    )
    _, out, err = call("import", "promptfoo", "c.yaml", "-o", "b", "--json")
    assert len(json.loads(out)["notes"]) == 2
    assert err == ""


def made(folder: Path, text: str) -> tuple[list[ImportedTest], list[str]]:
    folder.joinpath("promptfooconfig.yaml").write_text(text)
    imported = read_config(folder)
    return list(imported.tests), [str(each) for each in imported.left_out]


def test_models_with_prompts_of_their_own_are_other_tests(tmp_path: Path) -> None:
    tests, told = made(
        tmp_path,
        "prompts: [{id: one, raw: Hi, label: one}, {raw: Hello, label: two}]\n"
        "providers:\n"
        "- {id: 'openai:a', prompts: [one]}\n"
        "- {id: 'openai:b'}\n"
        "- {id: 'openai:c', prompts: one}\n"
        "- {id: 'openai:d', prompts: [gone]}\n",
    )
    first, second = (test.document for test in tests)
    assert first["models"] == ["openai/a", "openai/c"]
    assert first["prompt"] == [{"role": "user", "content": "Hi"}]
    assert (second["model"], list(second["prompts"])) == ("openai/b", ["one", "two"])
    assert "it gets none of the prompts" in told[0]


def test_models_with_tools_are_other_tests(tmp_path: Path) -> None:
    text = (
        "prompts: [Hi]\n"
        "providers:\n"
        "- 'openai:a'\n"
        "- {id: 'openai:b', config: {tools: [{name: add}]}}\n"
    )
    tests, told = made(tmp_path, text)
    assert [test.document.get("tools") for test in tests] == [None, [{"name": "add"}]]
    assert told == []
    _, told = made(tmp_path, text + "tests: [{assert: [{type: contains, value: x}]}]\n")
    assert told == []
    text = text.replace("openai:b", "mistral:b")
    _, told = made(tmp_path, text + "tests: [{assert: [{type: contains, value: x}]}]\n")
    assert "promptfoo's assertions judge the calls as JSON" in told[0]


def test_assertions_get_calls_as_promptfoo_gives_them(tmp_path: Path) -> None:
    text = (
        "prompts: [Hi]\n"
        "providers: [{id: 'openai:b', config: {functions: [{name: add, parameters: {a: 1}}]}}]\n"
        "tests:\n"
        "- options: {transform: output.name, providers: {}}\n"
        "  assert: [{type: equals, value: add}, {type: javascript, value: output.x > 1}]\n"
        "- assert: [{type: is-valid-function-call}, {type: is-json}]\n"
        "- {vars: {x: y}, assert: [{type: is-valid-openai-tools-call}, {type: is-json}]}\n"
        "- options: {transform: output}\n"
        "  assert: [{type: is-valid-function-call}, {type: is-json}]\n"
    )
    tests, told = made(tmp_path, text)
    calls = {"type": "promptfoo_calls", "form": "function"}
    name = {"type": "promptfoo_script", "script": "output.name"}
    assert tests[0].document["checks"] == [
        {"exact_match": "add", "normalise": "none", "extract": [calls, name]},
        {"promptfoo_script": "output.x > 1", "on_error": "failed", "extract": [calls, name]},
    ]
    assert tests[1].document["checks"] == [
        {"valid_calls": {"add": {"a": 1}}},
        {"is_json": True, "extract": [calls]},
    ]
    assert "no answer of these models passes it in promptfoo" in told[0]
    assert "calls after a transform" in told[1]
