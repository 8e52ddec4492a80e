"""YAML is parsed to JSON's types."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from documents.documents import JSON_VALUES, all_paths
from hypothesis import given

from lve.documents.position_types import TextError
from lve.documents.yaml_text import parse_yaml, yaml_places


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("On", "On"),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("", None),
        ("'~'", "~"),
        ("2024-01-01", "2024-01-01"),
        ("12:30", "12:30"),
        ("0123", "0123"),
        ("0", 0),
        ("-7", -7),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("01.5", "01.5"),
        ("1.2.3", "1.2.3"),
        ("'42'", "42"),
        ('"true"', "true"),
        ("=", "="),
    ],
)
def test_yaml_has_the_types_of_json(text: str, value: Any) -> None:
    result = parse_yaml(f"a: {text}\n")["a"]
    assert result == value
    assert type(result) is type(value)


def test_the_pure_python_yaml_parser_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &x [1, 'no', no, {b: ~}]\nc: *x\n1: |\n  text\n"
    value, places = parse_yaml(text), yaml_places(text)
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert parse_yaml(text) == value
    for path in all_paths(value):
        assert yaml_places(text).of(path) == places.of(path)
    with pytest.raises(TextError, match="tags such as"):
        parse_yaml("a: !!python/name:os.system x")


@given(JSON_VALUES)
def test_yaml_reads_json(value: Any) -> None:
    text = json.dumps(value)
    try:
        result = parse_yaml(text)
    except TextError:  # YAML has no surrogate escapes
        assert "\\ud" in text
        return
    assert result == value
    assert len(yaml_places(text)) == len(list(all_paths(value)))
