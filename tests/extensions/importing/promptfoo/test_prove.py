"""Imported tests are compared with what promptfoo sends, and says of scripted answers: a stand-in
for it, and where it is installed, promptfoo itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.promptfoo_package import install_promptfoo, needs_node

from lve.errors import UsageError
from lve.extensions.importing.boxes.box import TOOLS, BoxError, BoxOptions
from lve.extensions.importing.folders import write_tests
from lve.extensions.importing.promptfoo import installed_promptfoo, prove, read_config
from lve.extensions.importing.proof import Proof, ProvenTests, Written
from lve.messages import Completion

CONFIG = """
prompts: ['In {{city}}?', 'Where is {{city}}?']
providers: [openai:gpt-4o]
defaultTest: {assert: [{type: contains, value: '{{city}}'}]}
tests:
  - vars: {city: [Rome, Oslo]}
    assert:
      - {type: llm-rubric, value: kind}
      - {type: assert-set, assert: [{type: equals, value: '{{city}}'}, {type: is-json}]}
  - {vars: {city: Bern}, threshold: 0.5, assert: [{type: javascript, value: output.length < 20}]}
"""
IMPORT = ("import", "promptfoo", ".", "-o", "made", "--prove")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "w").mkdir()
    monkeypatch.chdir(tmp_path / "w")
    Path("promptfooconfig.yaml").write_text(CONFIG)


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_promptfoo(tmp_path, monkeypatch)


def certificates() -> dict[str, Any]:
    """Return the proof in the certificate of each test."""
    files = sorted(Path("made").rglob("import.json"))
    return {file.parent.name: json.loads(file.read_text("utf-8"))["proof"] for file in files}


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return what promptfoo says, from where it can be changed."""
    lines: list[dict[str, Any]] = []
    run = installed_promptfoo.run_in_box

    def listening(*args: Any, **options: Any) -> Iterator[Mapping[str, Any]]:
        for line in run(*args, **options):
            lines.append({**line})
            yield line

    monkeypatch.setattr(installed_promptfoo, "run_in_box", listening)
    call(*IMPORT)
    return lines


def proofs(monkeypatch: pytest.MonkeyPatch, lines: list[dict[str, Any]]) -> dict[str, Proof]:
    """Return what is found if promptfoo says `lines`."""
    monkeypatch.setattr(installed_promptfoo, "run_in_box", lambda *_args, **_options: iter(lines))
    imported = read_config(Path(), BoxOptions(prove=True))
    assert isinstance(imported, ProvenTests)
    write_tests(imported.tests, Path("again"))
    return dict(imported.prove(Path("again")))


@needs_node
@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("more", [(), ("--loaders",)])
def test_prompts_and_verdicts_are_those_of_promptfoo(more: tuple[str, ...]) -> None:
    code, told, errors = call(*IMPORT, *more)
    assert code == 0, told + errors
    first, second = certificates().values()
    assert (first["rows"], first["prompts"]) == (2, 4)
    assert (second["rows"], second["prompts"]) == (1, 2)
    # three checks of each answer, and the rubric, which asks a model
    assert first["scores"] == 3 * first["scores_not_compared"] > 60
    assert first["not_compared_because"] == "judge asks a model"
    assert second["scores"] > 10
    assert first["differences"] == second["differences"] == []
    assert first["tool"] == "promptfoo"
    assert "test: not all could be compared: judge asks a model" in told


JUDGES = """
prompts: ['In {{city}}?']
providers: [openai:gpt-4o]
defaultTest: {options: {provider: openai:gpt-4o, rubricPrompt: '{{rubric}} {{output}} {{city}}'}}
tests:
  - vars: {city: Rome}
    assert:
      - {type: llm-rubric, value: 'in {{city}}', provider: openai:x}
      - {type: llm-rubric, value: kind, rubricPrompt: 'Is {{output}} {{rubric}}?'}
"""


@needs_node
@pytest.mark.usefixtures("stand_in")
def test_judges_with_their_own_templates_are_asked_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("promptfooconfig.yaml").write_text(JUDGES)
    monkeypatch.setattr(installed_promptfoo, "REPLIES", ('{"pass": true}', '{"pass": false}', "?"))
    lines = recorded(monkeypatch)
    [proof] = certificates().values()
    asked = [line for line in lines if line["kind"] == "judge"]
    assert len(asked) == proof["scores"] > 12
    assert proof["prompts"] == proof["scores"] + 1
    assert proof["differences"] == []
    assert {e[0] for line in lines if line["kind"] == "score" for e in line["each"]} == {
        True,
        False,
    }
    for line in asked:
        line["prompt"] += "!"
    [proof_of_others] = proofs(monkeypatch, lines).values()
    assert len(proof_of_others.differences) >= len(asked)


@needs_node
@pytest.mark.usefixtures("stand_in")
def test_answers_pass_and_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [line for line in recorded(monkeypatch) if line["kind"] == "score"]
    each = [line["each"] for line in said if line["number"] == 0]
    columns = [[e[0][0] for e in each], [e[2][1][0] for e in each], [e[2][1][1] for e in each]]
    assert all({*column} == {True, False} for column in columns)
    assert {line["passes"] for line in said if line["number"] == 1} == {True, False}


@needs_node
@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("change", "count"),
    [
        ({"each": [[True, []], [True, []], [True, [True, True]]]}, True),
        ({"passes": "maybe"}, True),
        ({"prompt": "In Paris?"}, True),
        ({"vars": {"city": "Paris"}}, True),
        ({"threw": True, "why": "Error: Transform failed: x"}, False),
        ({"threw": True, "why": "another"}, False),
        ({"each": None}, False),
        ({"each": [3]}, False),
        ({"number": 99}, False),
        ({"number": []}, False),
        ({"of": -1}, False),
        ({"of": 7}, False),
        ({"kind": ["score"]}, False),
        ({"kind": "failed", "why": 3}, False),
        ({"answer": None}, True),
    ],
)
def test_what_promptfoo_does_otherwise_is_a_difference(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], count: bool
) -> None:
    lines = [
        {**line, **change} if line["kind"] in ("row", "score") else line
        for line in recorded(monkeypatch)
    ]
    found = [len(proof.differences) for proof in proofs(monkeypatch, lines).values()]
    assert bool(sum(found)) == count


@pytest.mark.parametrize(
    ("why", "changed", "expected"),
    [
        ("Error: Transform failed: x", True, "error"),
        ("Error: Transform function did not return", True, "error"),
        ("Error: Transform failed", False, None),
        ("x", True, None),
    ],
)
def test_a_transform_that_throws_is_an_error_of_what_it_changes(
    why: str, changed: bool, expected: str | None
) -> None:
    line = {"threw": True, "why": why, "each": None}
    assert prove._expected(line, (0,), changed=changed) == expected


@needs_node
@pytest.mark.usefixtures("stand_in")
def test_differences_end_with_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = recorded(monkeypatch)
    for line in lines:
        line |= {"prompt": "x"} if line["kind"] == "row" and line["number"] == 1 else {}
    monkeypatch.setattr(installed_promptfoo, "run_in_box", lambda *_args, **_options: iter(lines))
    code, told, _ = call(*IMPORT[:-2], "again", "--prove")
    assert code == 1
    assert "test_2: 2 differ: see its import.json" in told


@needs_node
@pytest.mark.usefixtures("stand_in")
def test_files_of_tests_are_read_by_both() -> None:
    config = "prompts: ['{{a}}']\nproviders: [openai:x]\ntests: [t.js, {vars: {a: z}}]\n"
    Path("promptfooconfig.yaml").write_text(config)
    Path("t.js").write_text("module.exports = [{vars: {a: 'x'}}, {vars: {a: 'y'}}];")
    code, told, errors = call(*IMPORT, "--loaders")
    assert code == 0, told + errors
    assert certificates()["test"]["prompts"] == 3


@needs_node
@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("provider", "form"),
    [
        ("{id: 'google:live:x', config: {tools: [{functionDeclarations: [{name: f}]}]}}", "live"),
        ("{id: 'openai:x', config: {response_format: {type: json_schema}}}", "json"),
        ("openai:x", "text"),
    ],
)
def test_answers_have_the_form_that_providers_give_them(
    monkeypatch: pytest.MonkeyPatch, provider: str, form: str
) -> None:
    Path("promptfooconfig.yaml").write_text(
        f"prompts: [a]\nproviders: [{provider}]\ntests: [{{assert: [{{type: is-json}}]}}]\n"
    )
    requests: list[dict[str, Any]] = []
    monkeypatch.setattr(
        installed_promptfoo, "run_in_box", lambda *a, **_: requests.append(a[2]) or iter(())
    )
    call(*IMPORT)
    assert requests[0]["form"] == form


@needs_node
@pytest.mark.usefixtures("stand_in")
def test_rows_of_which_only_the_prompt_is_kept_are_found() -> None:
    config = "prompts: [p.js]\nproviders: [openai:x]\ntests: [{vars: {a: x}}, {vars: {a: y}}]\n"
    Path("promptfooconfig.yaml").write_text(config)
    Path("p.js").write_text("module.exports = ({vars}) => `Say ${vars.a}!`;")
    code, told, errors = call(*IMPORT, "--loaders")
    assert code == 0, told + errors
    assert certificates()["test"]["rows"] == 2


@needs_node
@pytest.mark.usefixtures("stand_in")
def test_a_file_that_promptfoo_reads_differently_is_told() -> None:
    imported = read_config(Path(), BoxOptions(prove=True))
    assert isinstance(imported, prove.ProvenConfig)
    assert imported.original is not None
    assert imported.original.counts == {0: 1, 1: 1}
    original = imported.original._replace(counts={0: 1, 1: 7})
    write_tests(imported.tests, Path("made"))
    first, second = dict(replace(imported, original=original).prove(Path("made"))).values()
    assert first.prompts == 4
    assert second.prompts == 0
    assert second.why == "promptfoo reads other tests in its file"


@needs_node
@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("ends", ["refused", "early"])
def test_a_promptfoo_that_ends_early_is_told(monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    def run(*_args: object, **_options: object) -> Iterator[dict[str, Any]]:
        yield {"kind": "tool", "version": "9"}
        if ends == "refused":
            yield {"kind": "refused", "why": "no such thing"}
        raise BoxError("ended with exit code 3")

    monkeypatch.setattr(installed_promptfoo, "run_in_box", run)
    code, told, _ = call(*IMPORT)
    why = {"refused": "promptfoo 9 refuses it: no such thing", "early": "ended with exit code 3"}
    assert code == 0
    assert f"test: no score could be compared: {why[ends]}" in " ".join(told.split())


@pytest.mark.parametrize(
    ("assertion", "passing", "failing"),
    [
        ("{type: equals, value: 'Yes'}", ["Yes"], [" Yes", "Yes\n", "yes"]),
        ("{type: equals, value: file://t.txt}", ["in a file"], ["in a file\n"]),
        ("{type: starts-with, value: 'Yes'}", ["Yes", "Yes, I"], [" Yes", "no"]),
        ("{type: is-xml}", ["<a/>", " <a>b</a>\n"], ["```xml\n<a/>\n```", ""]),
        ("{type: is-sql}", ["SELECT 1"], ["```sql\nSELECT 1\n```"]),
        ("{type: contains-json}", ['so: {"a": 1}', '[{"a": 1}]'], ["42", '[1, "a"]', "none"]),
        ("{type: is-refusal}", ["", " null ", "{}", "I'm sorry, but I can't."], ["Sure: 1"]),
        ("{type: not-is-refusal}", ["Sure: 1"], ["", "I'm sorry, but I can't help."]),
    ],
)
def test_verdicts_are_those_that_promptfoo_gave(
    assertion: str, passing: list[str], failing: list[str]
) -> None:
    Path("t.txt").write_text("in a file\n")
    Path("promptfooconfig.yaml").write_text(f"prompts: [x]\ntests: [{{assert: [{assertion}]}}]\n")
    write_tests(read_config(Path()).tests, Path("made"))
    test = Written(Path("made/test"))
    [instance] = test.instances
    verdicts = {
        answer: test.judged_by(0, instance, Completion(answer)).passed
        for answer in (*passing, *failing)
    }
    assert verdicts == {**dict.fromkeys(passing, True), **dict.fromkeys(failing, False)}


def test_without_promptfoo_nothing_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LVE_TOOLS", "none")
    with pytest.raises(UsageError, match="lve import --setup promptfoo"):
        call(*IMPORT)
    assert not Path("made").exists()


@needs_node
def test_the_stand_in_says_what_promptfoo_says() -> None:
    if not TOOLS["promptfoo"].is_set_up:
        pytest.skip("NOT TESTED against promptfoo: `lve import --setup promptfoo`")
    code, told, errors = call(*IMPORT)
    assert code == 0, told + errors
    first, second = certificates().values()
    assert (first["prompts"], second["prompts"]) == (4, 2)
    assert first["scores"] > 60
    assert second["scores"] > 10
