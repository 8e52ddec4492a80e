from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from documents.explained import JSON_VALUES, TEST, properties
from hypothesis import given
from hypothesis import strategies as st

import lve
from lve import __version__
from lve.documents.validation.schema import (
    explain_value,
    is_valid,
    load_schema,
    schema_address,
    schema_folder,
)
from lve.models.registry import all_providers
from lve.suggest import did_you_mean

ROOT = Path(__file__).parents[3]
IN_CHECKOUT = Path(lve.__file__).is_relative_to(ROOT / "lve")


def described(schema: Any, value: Any) -> bool:
    if "$ref" in value and "description" not in value:
        target = schema
        for step in value["$ref"].split("/")[1:]:
            target = target[step]
        return described(schema, target)
    return bool(value.get("description"))


NAMES = sorted(path.name.split(".")[0] for path in schema_folder().glob("*.schema.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_a_valid_schema(name: str) -> None:
    schema = load_schema(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == schema_address(name)


def test_the_address_of_a_schema_has_a_version() -> None:
    version = ".".join(__version__.split(".")[:2])
    assert schema_address("test").endswith(f"/{version}/test.schema.json")


@pytest.mark.parametrize("name", ["test", "instance", "settings"])
def test_every_property_that_people_write_is_described(name: str) -> None:
    schema = load_schema(name)
    silent = [path for path, value in properties(schema, name) if not described(schema, value)]
    assert not silent


def test_every_provider_of_the_registry_may_stand_in_the_settings() -> None:
    schema = load_schema("settings")
    listed = schema["$defs"]["model"]["properties"]["provider"]["anyOf"][0]["enum"]
    assert set(all_providers()) == set(listed)


@pytest.mark.skipif(not IN_CHECKOUT, reason="lve is installed from a wheel")
def test_an_editor_finds_the_schemas_in_a_checkout() -> None:
    assert (Path(__file__).parents[3] / "schemas").samefile(schema_folder())


@given(st.sampled_from(sorted(load_schema("test")["properties"])), JSON_VALUES)
def test_the_fast_validator_accepts_only_what_the_slow_one_accepts(key: str, value: Any) -> None:
    document = {**TEST, key: value}
    if is_valid(document, "test"):
        assert explain_value(document, "test") == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("promt_file", "prompt_file"),
        ("promptFile", "prompt_file"),
        ("prompt-file", "prompt_file"),
        ("PROMPT_FILE", "prompt_file"),
        ("zzz", None),
    ],
)
def test_a_misspelt_key_is_recognized(written: str, meant: str | None) -> None:
    hint = did_you_mean(written, ["prompt_file", "model", "description"])
    assert hint == (f"did you mean `{meant}`?" if meant else None)
