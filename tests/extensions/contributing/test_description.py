"""A test in Markdown: its facts, its rates, its answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extensions.contributing.contribution import write_contribution, write_repository

from lve.extensions.contributing.description import describe_test, rates_of
from lve.spec.load import load_spec


@pytest.fixture
def folder(root: Path) -> Path:
    return write_contribution(write_repository(root))


def test_rates_are_told_by_model(folder: Path) -> None:
    def line(name: str, passed: bool | None) -> str:
        answer = {"args": {"name": "x"}, "response": "y", "passed": passed}
        return json.dumps({**answer, "run_info": {"source": "openai", "model": name}})

    lines = [line("b/m", True), line("b/m", False), line("b/m", None), line("c", True)]
    (folder / "instances" / "more.jsonl").write_text("\n".join(lines))
    spec = load_spec(folder)
    assert list(map(str, rates_of(spec))) == [
        "written by hand: 2 of 2 passed",
        "b/m: 1 of 2 passed",
        "c: 1 of 1 passed",
    ]
    assert "| recorded | written by hand: 2 of 2 passed; b/m: 1 of 2 passed; c: 1" in describe_test(
        spec
    )


def test_without_an_example_a_recorded_answer_is_shown(folder: Path) -> None:
    file = folder / "test.yaml"
    file.write_text(file.read_text().partition("examples:")[0])
    shown = describe_test(load_spec(folder))
    assert "An answer that passes:\n\n```text\nHello!\n```" in shown
    assert "One that fails" not in shown


def test_secrets_are_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")
    file = folder / "test.yaml"
    file.write_text(file.read_text().replace("Go away.", "sk-very-secret-0123456789"))
    assert "sk-very" not in describe_test(load_spec(folder))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("expect: fail", "every answer fails: a known weakness"),
        ('expect: {pass_rate: ">=0.9"}', "a pass rate &gt;= 0.9"),
        ("author: A|B <x>", "| author | A\\|B &lt;x&gt; |"),
        ("models: [openai/a, openai/b]", "| meant for | openai/a, openai/b |"),
    ],
)
def test_facts(folder: Path, line: str, told: str) -> None:
    file = folder / "test.yaml"
    text = file.read_text()
    if line.startswith("models"):
        text = text.replace("model: openai/gpt-6-luna\n", "")
    file.write_text(text + line + "\n")
    assert told in describe_test(load_spec(folder))


def test_a_dialogue_is_shown_by_its_variables(folder: Path) -> None:
    file = folder / "test.yaml"
    turns = "  - content: Hi {name}\n  - {role: assistant, variable: first}\n  - content: Hm?\n"
    text = file.read_text().replace("  - content: Hello, I am {name}.\n", turns)
    file.write_text(text.replace('"Hello, Ana!"', "{first: Hello, response: Hello}"))
    assert "```text\nfirst: Hello\nresponse: Hello\n```" in describe_test(load_spec(folder))
