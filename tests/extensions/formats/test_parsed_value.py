"""Lambdas that use `parsed` otherwise than the test's schema allows are told by `lve check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.command_line import call
from support.folders import write_test

SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "name": {"type": ["string", "null"]},
        "items": {"type": "array", "items": {"type": "object", "properties": {"a": {}}}},
    },
    "additionalProperties": False,
}


def checked(root: Path, body: str, schema: Any = SCHEMA, **document: Any) -> str:
    """Return what `lve check` says of a lambda of the answer and its JSON value."""
    check = {"expression": f"lambda r, parsed: {body}"}
    write_test(root / "t", checker_args=None, check=check, output_schema=schema, **document)
    _, out, err = call("check", "t")
    return out.removesuffix("1 test: all valid\n") + err


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("'a' in parsed.lower()", "`parsed` is an object by `output_schema`, and has no .lower()"),
        ("parsed == 'yes'", "`parsed` is an object by `output_schema`, and never equals a text"),
        ("'yes' != parsed", "never equals a text"),
        ("parsed['n'].strip() == '1'", "`parsed['n']` is a whole number by `output_schema`"),
        ("parsed['n'] == '1'", "`parsed['n']` is a whole number"),
        ("parsed[0] == 1", "has no item [0]"),
        ("parsed['items']['a'] == 1", "`parsed['items']` is a list"),
        ("parsed['items'][0].upper() == 'A'", "`parsed['items'][0]` is an object"),
        ("parsed['nmae'] == 'x'", "did you mean `name`?"),
        ("len(r) > 3 and parsed.split()[0] == 'x'", "has no .split()"),
    ],
)
def test_what_fails_for_every_answer_is_an_error(root: Path, body: str, said: str) -> None:
    assert said in checked(root, body)


def test_the_first_argument_is_the_text_whatever_its_name(root: Path) -> None:
    check = {"expression": "lambda parsed: parsed['n'] == 1"}
    write_test(root / "t", checker_args=None, check=check, output_schema=SCHEMA)
    said = call("check", "t")[1]
    assert "first argument is the response, and 'parsed' is its JSON value" in said
    assert "write `lambda r, parsed: ...`" in said
    write_test(root / "u", checker_args=None, check={"expression": "lambda parsed: parsed == 'x'"})
    assert call("check", "u")[0] == 0


@pytest.mark.parametrize(
    "body",
    [
        "parsed['n'] == 1",
        "parsed['name'].lower() == 'x'",
        "parsed['name'] == 'x'",
        "'n' in parsed",
        "parsed.get('n') == 1",
        "parsed['items'][0]['a'] == 'x'",
        "parsed['items'][-1]['b'] == 'x'",
        "isinstance(parsed, str) and parsed.lower() == 'x'",
        "r.lower() == 'x' and parsed['n']",
        "any(v == 'x' for v in parsed.values())",
    ],
)
def test_what_may_hold_is_left_alone(root: Path, body: str) -> None:
    assert checked(root, body) == ""


@pytest.mark.parametrize("schema", [{}, {"anyOf": [{"type": "string"}]}, {"enum": ["x"]}])
def test_an_open_schema_allows_everything(root: Path, schema: Any) -> None:
    assert checked(root, "parsed.lower() == 'x'", schema) == ""


def test_a_schema_in_a_file_counts_too(root: Path) -> None:
    (root / "t").mkdir()
    (root / "t" / "schema.json").write_text('{"type": "array"}')
    said = checked(root, "parsed.lower() == 'x'", "schema.json")
    assert "`parsed` is a list by `output_schema`, and has no .lower()" in said


def test_a_parameter_of_that_name_is_the_rows_value(root: Path) -> None:
    rows = [{"args": {"parsed": "x"}}]
    names = {"prompt_parameters": ["parsed"], "prompt": "Say {parsed}."}
    assert "by `output_schema`" not in checked(
        root, "parsed.lower() == 'x'", instances=rows, **names
    )
