"""Warnings about valid test documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lve.documents.read import Document, read_document
from lve.spec.document_warnings import warnings_of


def document(folder: Path, data: Any) -> Document:
    (folder / "test.json").write_text(json.dumps(data), encoding="utf-8")
    return read_document(folder / "test.json")


@pytest.mark.parametrize(
    ("data", "places"),
    [
        ({"param_values": {}, "test_path": "x"}, ["param_values", "test_path"]),
        ({"default_model_args": {"temprature": 1, "temperature": 1}},
         ["default_model_args.temprature"]),
        ({"multi_run_prompt": {"repetition": 1}}, ["multi_run_prompt.repetition"]),
        ({"multi_run_prompt": {"repetitions": 1}}, []),
        ({"tags": [{"name": "severity"}, {"name": "severty"}]}, []),
        ({"tags": None, "default_model_args": None}, []),
        ({"expect": {"claim": "population", "max_repeats": 9}}, ["expect.max_repeats"]),
        ({"expect": {"claim": "these", "max_repeats": 9}}, ["expect"]),
        ({"expect": {"pass_rate": 0.9}}, []),
        ({"expect": {"max_repeats": 9}, "default_model_args": {"temperature": 1}}, []),
        ({"expect": {"max_repeats": 1}}, []),
        ({"repeats": 1}, []),
        ({"repeats": 1, "expect": {"max_repeats": 9}}, ["expect"]),
        ({"expect": {"max_repeats": 9}, "default_model_args": {"temperature": 0}},
         ["default_model_args.temperature"]),
        ({"expect": {"max_repeats": 9}, "default_model_args": {"temperature": 1, "seed": 3}},
         ["default_model_args.seed"]),
    ],
)  # fmt: skip
def test_what_is_unusual_is_a_warning(data: Any, places: list[str], tmp_path: Path) -> None:
    found = list(warnings_of(document(tmp_path, data)))
    assert [(problem.path or "").removeprefix("$.") for problem in found] == places
    assert {problem.severity for problem in found} <= {"warning"}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("description: “A test”\n", "description"),
        ("description: „Ein Test“\n", "description"),
        ("examples:\n  - response: ‘Paris’\n", "examples[0].response"),
        ("tags: [{name: «severity», value: low}]\n", "tags[0].name"),
        ('description: "“A test”"\n', None),
        ("description: |\n  “A test”\n", None),
        ("description: She said “no” to it.\n", None),
        ("description: “A” and “b” are letters.\n", None),
        ("description: “A” or “b”\n", None),
        ("description: “\n", None),
    ],
)
def test_typographic_quotes_around_a_text_of_yaml(
    text: str, place: str | None, tmp_path: Path
) -> None:
    (tmp_path / "test.yaml").write_text(text, encoding="utf-8")
    found = [*warnings_of(read_document(tmp_path / "test.yaml"))]
    said = [one for one in found if "quote in YAML" in one.message]
    assert [one.path for one in said] == ([f"$.{place}"] if place else [])
    assert all(one.line and one.severity == "warning" for one in said)


def test_typographic_quotes_in_json_are_text(tmp_path: Path) -> None:
    assert [*warnings_of(document(tmp_path, {"description": "“A test”"}))] == []


@pytest.mark.parametrize(
    ("prompt", "hint"),
    [
        ("hello.txt", "say `prompt_file: hello.prompt`, and call the file so"),
        ("my.prompt", "say `prompt_file: my.prompt`"),
        ([{"content": "sub/hello.txt"}], "say `prompt_file: sub/hello.prompt`, and call"),
        ("gone.txt", None),
        ("../hello.txt", None),
        ("What is in hello.txt?", None),
        ([{"content": None}], None),
        (None, None),
    ],
)
def test_a_prompt_that_names_a_file_which_is_there(
    prompt: Any, hint: str | None, tmp_path: Path
) -> None:
    folder = tmp_path / "t"
    (folder / "sub").mkdir(parents=True)
    for name in ("hello.txt", "my.prompt", "sub/hello.txt", "../hello.txt"):
        (folder / name).write_text("Hello!", encoding="utf-8")
    found = [*warnings_of(document(folder, {"prompt": prompt}))]
    assert len(found) == (hint is not None)
    assert all((one.hint or "").startswith(hint or "-") for one in found)


@pytest.mark.parametrize(
    ("schema", "warned"),
    [
        ({"format": "datetime"}, "did you mean `date-time`?"),
        ({"properties": {"a": {"items": {"format": "int32"}}}}, "there are date, "),
        ({"format": "date"}, None),
        ({"properties": {"format": {"type": "string"}}}, None),
        ({"const": {"format": "pdf"}}, None),
    ],
)
@pytest.mark.parametrize("key", ["json_schema", "output_schema", "json"])
def test_a_format_that_is_not_checked_is_said(
    key: str, schema: Any, warned: str | None, tmp_path: Path
) -> None:
    value = {"schema": schema} if key == "json" else schema
    data = {"output_schema": value} if key == "output_schema" else {"check": {key: value}}
    found = [*warnings_of(document(tmp_path, data))]
    assert len(found) == (warned is not None)
    for problem in found:
        assert "is not checked: any text has it" in problem.message
        assert warned is not None
        assert warned in str(problem.hint)
        assert problem.line == 1


def test_a_format_elsewhere_is_no_business_of_a_schema(tmp_path: Path) -> None:
    assert [*warnings_of(document(tmp_path, {"instances": [{"args": {"format": "pdf"}}]}))] == []
