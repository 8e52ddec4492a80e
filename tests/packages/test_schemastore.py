"""The entries for SchemaStore: each has the address of a schema of this repository."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from lve.extensions.authoring.editors import FILES

ROOT = Path(__file__).parents[2]
CATALOG: list[dict[str, Any]] = json.loads(
    (ROOT / "packaging/schemastore/catalog.json").read_text("utf-8")
)
BRANCH = "https://raw.githubusercontent.com/lve-org/lve/main/"


@pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: str(entry["name"]))
def test_an_entry_has_what_schemastore_asks_for(entry: dict[str, Any]) -> None:
    assert entry.keys() == {"name", "description", "fileMatch", "url"}
    schema = ROOT / entry["url"].removeprefix(BRANCH)
    assert schema.parent == ROOT / "schemas"
    content = json.loads(schema.read_text("utf-8"))
    assert content["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert content["title"]


@pytest.mark.parametrize("name", [name for name in FILES if name != "suite"])
def test_each_file_that_people_write_is_matched_by_the_entry_of_its_schema(name: str) -> None:
    """`suite.yaml` alone is no name by which a file of lve is known."""
    [entry] = [one for one in CATALOG if one["url"].endswith(f"/{name}.schema.json")]
    for file in FILES[name]:
        place = f"work/repository/a/{file}" if name == "test" else file
        assert any(fnmatchcase(place, pattern) for pattern in entry["fileMatch"]), file
