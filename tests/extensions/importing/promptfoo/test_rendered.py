"""Configurations that promptfoo itself reads: its scripts run, its templates are filled in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.command_line import lve
from support.promptfoo_package import install_promptfoo, needs_node

pytestmark = needs_node
ASSERT = "assert: [{type: contains, value: '{{city}}'}]"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_promptfoo(tmp_path, monkeypatch)
    (tmp_path / "w").mkdir()
    monkeypatch.chdir(tmp_path / "w")


def imported(config: str, *more: str) -> tuple[int, str, list[tuple[Any, list[Any]]]]:
    """Return exit code, what is said, and the document and rows of each test."""
    Path("promptfooconfig.yaml").write_text(config)
    result = lve("import", "promptfoo", ".", "--loaders", "-o", "made", *more, code=None)
    tests = []
    for file in sorted(Path("made").rglob("test.*")):
        rows = file.parent / "rows.jsonl"
        lines = rows.read_text().splitlines() if rows.exists() else []
        tests.append((json.loads(file.read_text()), [json.loads(line) for line in lines]))
    return result.exit_code, result.stdout + result.stderr, tests


def test_a_script_makes_the_tests() -> None:
    Path("tests.js").write_text(
        "module.exports = ['Rome', 'Oslo'].map(city => ({vars: {city}, assert: "
        "[{type: 'contains', value: city}]}));"
    )
    code, said, tests = imported("prompts: ['Where is {{city}}?']\ntests: [file://tests.js]\n")
    assert code == 0, said
    assert [(test["prompt"], rows) for test, rows in tests] == [
        ("Where is {city}?", [{"city": "Rome"}]),
        ("Where is {city}?", [{"city": "Oslo"}]),
    ]
    assert {test["source"]["line"] for test, _ in tests} == {2}


def test_a_filter_becomes_a_column_and_a_variable_stays_one() -> None:
    code, said, [(test, rows)] = imported(
        "prompts: ['{{city | upper}} {x}?', 'In {{city}}?']\n"
        f"tests: [{{vars: {{city: [Rome, Oslo]}}, {ASSERT}}}]\n"
    )
    assert code == 0, said
    assert [messages[0]["content"] for messages in test["prompts"].values()] == [
        "{prompt_1}",
        "In {city}?",
    ]
    assert rows == [
        {"prompt_1": "ROME {x}?", "city": "Rome"},
        {"prompt_1": "OSLO {x}?", "city": "Oslo"},
    ]


def test_a_script_makes_a_chat_whose_same_texts_stay_texts() -> None:
    Path("chat.js").write_text(
        "module.exports = ({vars}) => [{role: 'system', content: 'Be {brief}'}, "
        "{role: 'user', content: vars.city + '!'}];"
    )
    code, said, [(test, rows)] = imported(
        f"prompts: [file://chat.js]\ntests: [{{vars: {{city: [Rome, Oslo]}}, {ASSERT}}}]\n"
    )
    assert code == 0, said
    assert test["prompt"] == [{"system": "Be {{brief}}"}, {"user": "{part_1_2}"}]
    assert [row["part_1_2"] for row in rows] == ["Rome!", "Oslo!"]


def test_settings_of_a_prompt_are_those_of_the_model() -> None:
    Path("p.js").write_text("module.exports = ({vars}) => 'x' + vars.city;")
    code, said, [(test, _)] = imported(
        "prompts: [{raw: file://p.js, config: {temperature: 0.5}}]\nproviders: [openai:gpt-4o]\n"
        f"tests: [{{vars: {{city: [a, b]}}, {ASSERT}}}]\n"
    )
    assert code == 0, said
    assert test["default_model_args"] == {"temperature": 0.5}


def test_transforms_and_judges_are_not_run_on_no_answer() -> None:
    code, said, [(test, _)] = imported(
        "prompts: ['{{city}}']\n"
        "defaultTest: {options: {transform: output.x.y, provider: openai:x}}\n"
        f"tests: [{{vars: {{city: a}}, {ASSERT}}}]\n"
    )
    assert code == 0, said
    assert test["checks"][0]["extract"][0]["script"] == "output.x.y"


def test_of_a_test_only_the_rows_without_prompts_are_lost() -> None:
    Path("p.js").write_text(
        "module.exports = ({vars}) => { if (vars.city === 'b') throw Error('no b'); "
        "return 'To ' + vars.city; };"
    )
    code, said, [(test, rows)] = imported(
        "prompts: ['In {{city}}', p.js]\n"
        f"tests: [{{vars: {{city: [a, b, c]}}, {ASSERT}}}, {{vars: {{city: b}}, {ASSERT}}}]\n"
    )
    assert code == 0, said
    assert [row["city"] for row in rows] == ["a", "c"]
    told = " ".join(said.split())
    assert 'makes no prompt of its row {"city": "b"}: no b' in told
    assert told.count("makes no prompt of it: no b") == 1
    assert len(test["prompts"]) == 2


def test_limit_is_the_most_tests_of_an_entry() -> None:
    Path("tests.js").write_text("module.exports = [1, 2, 3].map(n => ({vars: {city: `${n}`}}));")
    code, _, tests = imported("prompts: ['{{city}}']\ntests: [file://tests.js]\n", "--limit", "2")
    assert code == 0
    assert [row["city"] for _, rows in tests for row in rows] == ["1", "2"]


@pytest.mark.parametrize(
    ("config", "script", "why"),
    [
        ("prompts: [REFUSED]\ntests: [{vars: {city: a}}]", "", "promptfoo 1.2 refuses it: no such"),
        ("prompts: [p.js]\ntests: [{vars: {city: a}}]", "() => { throw Error('no') }",
         "promptfoo makes no prompt of it: no"),
        ("prompts: ['{{said}}']\ntests: [{vars: {said: a}}, {vars: {said: b}}]", "",
         "what the model has answered before"),
        ("prompts: [p.js]\ntests: [{vars: {city: a}}]", "({vars}) => vars._conversation + ''",
         "what the model has answered before"),
        ("prompts: [p.js]\nproviders: [openai:a, openai:b]\ntests: [{vars: {city: a}}]",
         "({provider}) => provider.id()", "each provider gets another text"),
        ("prompts: [p.js]\ntests: [{vars: {city: [a, b]}}]",
         "({vars}) => ({prompt: 'x', config: {seed: vars.city}})", "it sets seed of the model"),
        ("prompts: [{raw: p.js, config: {seed: 1}}]\ntests: [{vars: {city: a}}]",
         "({config}) => config.seed", "reads settings of the prompt"),
        ("prompts: [p.js]\ntests: [{vars: {city: [a, b]}}]",
         "({vars}) => vars.city === 'a' ? 'x' : [{role: 'system', content: 'y'}]",
         "several shapes"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_told(config: str, script: str, why: str) -> None:
    if script:
        Path("p.js").write_text(f"module.exports = {script};")
    _, said, _ = imported(config + "\n")
    assert why in " ".join(said.split())
    assert "promptfooconfig.yaml:" in said


def test_without_loaders_the_way_is_told() -> None:
    Path("promptfooconfig.yaml").write_text("prompts: [p.js]\ntests: [file://t.js]\n")
    said = lve("import", "promptfoo", ".", "-o", "made", code=2).stderr
    assert said.count("with --loaders, promptfoo itself does") == 2


def test_settings_that_a_script_gives_are_those_of_its_prompt() -> None:
    Path("p.js").write_text("module.exports = () => ({prompt: 'x', config: {seed: 1}});")
    config = "prompts: [p.js]\nproviders: [openai:x]\ntests: [{vars: {city: [a, b]}}]\n"
    _, said, tests = imported(config)
    assert "seed" not in said
    assert tests[0][0]["default_model_args"] == {"seed": 1}


def test_rows_of_the_hub_stay_there() -> None:
    config = """
prompts: ['{{question}}?']
providers: [openai:x]
tests: [{vars: {question: a}}, 'huggingface://datasets/org/name?split=train', {vars: {question: b}}]
"""
    _, _, tests = imported(config)
    assert [row["question"] for _, rows in tests for row in rows] == ["a", "b"]
    [hub] = [document["dataset"] for document, _ in tests if document["dataset"] != "rows.jsonl"]
    assert hub == {"hub": "org/name", "split": "train", "limit": 100}


def test_rows_of_the_hub_need_a_prompt_that_lve_fills_in() -> None:
    config = "prompts: ['{{question | upper}}']\nproviders: [openai:x]\ntests: [TESTS]\n"
    hub = "{vars: {question: [a, b]}}, 'huggingface://datasets/org/name'"
    _, said, tests = imported(config.replace("TESTS", hub))
    assert len(tests) == 1
    assert "only promptfoo can fill in its prompts" in " ".join(said.split())
