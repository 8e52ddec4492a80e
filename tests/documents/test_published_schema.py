"""The published schema of test documents knows all checkers and their arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from lve.checkers.arguments import fields_of
from lve.checkers.by_name import BUILTIN_CHECKERS, load_builtin
from lve.checkers.describe import NAMES, describe
from lve.documents.read import read_document
from lve.documents.validation.schema import is_valid, load_schema
from lve.documents.yaml_text import parse_yaml
from lve.file_names import DOCUMENT_NAMES
from lve.spec.model_arg_names import KNOWN_MODEL_ARGS

ROOT = Path(__file__).parents[2]
SCHEMA = load_schema("test")
HOMES = ("repository", "lve/extensions/authoring/gallery", "tests/cases/valid")
TEST = {"description": "d", "prompt": "Hi"}
BLOCK = re.compile(r"^```yaml test\.yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def strict() -> Any:
    """Validates with the whole schema; lve itself leaves the arguments to its checkers."""
    return jsonschema_rs.Draft202012Validator(SCHEMA)


def documents() -> Iterator[Path]:
    for home in HOMES:
        for name in DOCUMENT_NAMES:
            yield from sorted((ROOT / home).rglob(name))


@pytest.mark.parametrize("file", [*documents()], ids=lambda file: file.parent.name)
def test_an_editor_finds_nothing_wrong_with_a_right_test(strict: Any, file: Path) -> None:
    strict.validate(read_document(file).data)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_an_editor_finds_nothing_wrong_with_the_documentation(strict: Any, page: Path) -> None:
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        strict.validate(parse_yaml(block))


@pytest.mark.parametrize("name", NAMES)
def test_each_argument_of_a_checker_is_known(strict: Any, name: str) -> None:
    kind, told = load_builtin(name), describe(name)
    assert kind is not None
    assert told is not None
    forms = {form["title"]: form for form in SCHEMA["$defs"]["check"]["then"]["anyOf"]}
    form = forms[name]["properties"]
    if name in BUILTIN_CHECKERS:
        long = [one["then"] for one in SCHEMA["$defs"]["checker"]["allOf"]]
        own = next(one for one in long if one["title"] == name)["properties"]
        assert set(own) >= {"checker_name", *fields_of(kind)}
        form = form[name]["properties"]
    assert set(form) >= {*fields_of(kind), "extract"}
    for argument in [one for one in told.arguments if one.name != "extract"]:
        default = form[argument.name].get("default", ...)
        assert (tuple(default) if isinstance(default, list) else default) == argument.default
    for example in told.examples:
        whole = {name: {**example.check}} if name in BUILTIN_CHECKERS else {**example.check}
        if name in BUILTIN_CHECKERS:
            whole[name].pop("checker_name", None)
        strict.validate({**TEST, "check": whole})


def test_all_names_are_offered_before_one_is_written() -> None:
    offered = SCHEMA["$defs"]["check"]["else"]["properties"]
    assert set(offered) == {*NAMES, "on"}
    for name, place in offered.items():
        found: Any = SCHEMA
        for step in place["$ref"].split("/")[1:]:
            found = found[int(step)] if isinstance(found, list) else found[step]
        assert found["description"], name
    assert set(SCHEMA["$defs"]["checker"]["properties"]["checker_name"]["examples"]) == set(NAMES)


def test_each_model_arg_is_described() -> None:
    assert set(SCHEMA["$defs"]["model_args"]["properties"]) == KNOWN_MODEL_ARGS


RIGHT = (
    {"contains": "x", "ignore_case": "{c}"},
    {"number": "{n}", "on": "all", "extract": "boxed"},
    {"RegexChecker": {"pattern": "a", "match_safe": True}, "on": ["a", "b"]},
    {"MyChecker": {"anything": 1}},
    {"MyChecker": None, "on": "transcript"},
    {"weighted": [{"contains": "x", "weight": 2}, {"no_pii": True}]},
    {"any": [{"all": [{"contains": "x"}]}, {"not": {"refusal": True}}]},
    {"contains": "x", "extract": [{"type": "xml-tag", "tag": "a"}, "opencompass.general"]},
)
WRONG = (
    {},
    {"contains": 5},
    {"contains": "x", "ignorecase": True},
    {"contains": "x", "ignore_case": "yes"},
    {"contains": "x", "number": 4},
    {"contians": "x"},
    {"choice": "yes"},
    {"rouge": "x", "kind": "rougeX"},
    {"all": [{"contains": 3}]},
    {"weighted": [{"weight": 2}]},
    {"RegexChecker": {"patern": "a", "match_safe": True}},
    {"contains": "x", "extract": "boxd"},
    {"contains": "x", "on": 1},
)


@pytest.mark.parametrize("check", RIGHT, ids=json.dumps)
def test_what_is_right_is_accepted(strict: Any, check: Any) -> None:
    strict.validate({**TEST, "check": check})


@pytest.mark.parametrize("check", WRONG, ids=json.dumps)
def test_what_is_wrong_is_underlined(strict: Any, check: Any) -> None:
    assert not strict.is_valid({**TEST, "check": check})
    assert not check or is_valid({**TEST, "check": check}, "test")  # lve says it better, later


@pytest.mark.parametrize(
    ("more", "right"),
    [
        (
            {"checker_args": {"checker_name": "RegexChecker", "pattern": "a", "match_safe": 1}},
            False,
        ),
        ({"checker_args": {"checker_name": "RegexChecker", "patern": "a"}}, False),
        ({"checker_args": {"checker_name": "mine.Checker", "what": "ever"}}, True),
        ({"checker_args": {"checker_name": "contains", "contains": "x"}}, True),
        ({"check": {"no_pii": True}, "default_model_args": {"temperature": "hot"}}, False),
        ({"check": {"no_pii": True}, "default_model_args": {"temperature": 0.5, "x": 1}}, True),
        ({"check": {"no_pii": True}, "models": [{"model": "a", "args": {"seed": "x"}}]}, False),
    ],
)
def test_long_forms_and_model_args(strict: Any, more: Any, right: bool) -> None:
    assert strict.is_valid({**TEST, **more}) is right
    assert is_valid({**TEST, **more}, "test")
