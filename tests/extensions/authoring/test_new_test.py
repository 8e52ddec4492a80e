"""What answers make of a new test, before anything is written."""

from __future__ import annotations

import json

import pytest

from lve.errors import PlaceholderError, SpecError
from lve.extensions.authoring.new_test import AuthorInput, NewTest, prompt_parameters

BASE = NewTest(
    {
        "models": ["a/b"],
        "description": "old",
        "prompt": [{"content": "{x}"}],
        "prompt_parameters": ["x", "answer"],
        "checks": [{"contains": "{answer}"}],
        "pass_when": "any",
        "examples": [{"verdict": "passed", "response": "r"}],
        "expect": "fail",
    },
    {"instances/a.jsonl": b"", "rows.csv": b""},
)


def test_what_is_not_answered_stays_as_it_was() -> None:
    made = BASE.with_input(AuthorInput(description="new", author="Ana"))
    assert made.document == {**BASE.document, "description": "new", "author": "Ana"}
    assert made.files == BASE.files
    assert list(made.document)[:3] == ["description", "author", "models"]


def test_another_model_replaces_all() -> None:
    document = BASE.with_input(AuthorInput(model="c/d")).document
    assert (document["model"], "models" in document) == ("c/d", False)


def test_another_prompt_takes_away_what_belonged_to_the_old_one() -> None:
    made = BASE.with_input(AuthorInput(prompt="Say {y}"))
    assert made.document["prompt_file"] == "prompt.prompt"
    assert made.document["prompt_parameters"] == ["y", "answer"], "the check still needs `answer`"
    assert not {"prompt", "examples"} & made.document.keys()
    assert dict(made.files) == {"rows.csv": b"", "prompt.prompt": b"Say {y}"}


def test_another_check_takes_away_examples_and_answers() -> None:
    check = {"any": [{"contains": "{z}"}, {"text": "{response} {reference}"}]}
    made = BASE.with_input(AuthorInput(check=check, passes=("r",), args={"z": "1"}))
    assert made.document["prompt_parameters"] == ["x", "answer", "z"]
    assert made.document["examples"] == [{"verdict": "passed", "response": "r", "args": {"z": "1"}}]
    assert not {"checks", "pass_when"} & made.document.keys()
    assert "instances/a.jsonl" not in made.files


def test_more_examples_join_those_that_are_there() -> None:
    examples = BASE.with_input(AuthorInput(fails=("bad",))).document["examples"]
    assert [example["verdict"] for example in examples] == ["passed", "failed"]


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("Hello", []),
        ("{a} {b[0]} {a!r:>10} {{c}}", ["a", "b"]),
        (
            '{"content": "{a}"}\n{"role": "assistant", "variable": "v"}\n{"content": "{v} {b}"}',
            ["a", "b"],
        ),
        ("{ is a brace, \n{x}", None),
        ("  ", None),
        ('{"content": "a"}\nb', None),
    ],
)
def test_parameters_are_what_stands_in_braces(prompt: str, names: list[str] | None) -> None:
    if names is None:
        with pytest.raises((PlaceholderError, SpecError)):
            prompt_parameters(prompt)
    else:
        assert prompt_parameters(prompt) == names


def test_a_document_has_its_schema_first() -> None:
    json_text = BASE.contents(name="t", schema="S", as_json=True)["test.json"]
    assert next(iter(json.loads(json_text).items())) == ("$schema", "S")
    yaml_text = BASE.contents(name="t", schema="S", as_json=False)["test.yaml"]
    assert yaml_text.startswith(b"# yaml-language-server: $schema=S\n")


def test_a_readme_is_written_where_there_is_none() -> None:
    made = BASE.contents(name="my_first-test", schema="S", as_json=True)["README.md"].decode()
    assert made.startswith("# My first test\n\nold\n")
    assert "check:\n  - {contains: '{answer}'}" in made
    own = NewTest(BASE.document, {"README.md": b"mine"})
    assert own.contents(name="t", schema="S", as_json=True)["README.md"] == b"mine"
