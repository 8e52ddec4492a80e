"""What editors are told: which file has which schema."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from lve.extensions.authoring.editors import (
    UnmergeableError,
    is_our_project,
    is_schema_of_lve,
    jetbrains_project,
    merged_settings,
    modelines,
    schema_copies,
    vscode_settings,
)


def merged(root: Path, text: str) -> Any:
    return json.loads(merged_settings(text, root))


def test_documents_are_those_below_repository_if_there_is_one(tmp_path: Path) -> None:
    assert vscode_settings(tmp_path)["yaml.schemas"]["./schemas/test.schema.json"] == [
        "**/test.yaml",
        "**/test.yml",
    ]
    (tmp_path / "repository").mkdir()
    settings = vscode_settings(tmp_path)
    of_tests = settings["json.schemas"][0]
    assert of_tests["fileMatch"] == ["repository/**/test.json"]
    assert settings["yaml.schemas"]["./schemas/settings.schema.json"] == ["lve.yaml", "lve.yml"]


def test_each_file_that_is_named_is_a_copy(tmp_path: Path) -> None:
    settings = vscode_settings(tmp_path)
    named = {*settings["yaml.schemas"], *(one["url"] for one in settings["json.schemas"])}
    copies = schema_copies()
    assert named == {f"./{name}" for name in copies}
    assert all(is_schema_of_lve(content.decode()) for content in copies.values())
    for text in ("{}", "[]", "no", '{"$id": "https://example.com/test.schema.json"}'):
        assert not is_schema_of_lve(text)


def test_other_settings_stay_as_they_are(tmp_path: Path) -> None:
    own = {
        "editor.rulers": [100],
        "json.schemas": [{"fileMatch": ["a.json"], "url": "./a.json"}, 3],
        "yaml.schemas": {"./b.json": "b.yaml", "./schemas/test.schema.json": "mine.yaml"},
    }
    found = merged(tmp_path, json.dumps(own))
    assert found["editor.rulers"] == [100]
    assert found["json.schemas"][:2] == own["json.schemas"]
    assert found["yaml.schemas"]["./b.json"] == "b.yaml"
    assert found["yaml.schemas"]["./schemas/test.schema.json"] == [
        "mine.yaml",
        "**/test.yaml",
        "**/test.yml",
    ]
    assert list(found)[:1] == ["editor.rulers"]


@pytest.mark.parametrize("text", ["", " \n", "{}", '{\n  "a": 1\n}\n'])
def test_merging_twice_changes_nothing(tmp_path: Path, text: str) -> None:
    once = merged_settings(text, tmp_path)
    assert merged_settings(once, tmp_path) == once
    dense = json.dumps(json.loads(once))
    assert merged_settings(dense, tmp_path) == dense
    indent = "  " if '  "a"' in text else "    "
    assert once.startswith(f'{{\n{indent}"')


def test_patterns_of_an_entry_that_is_there_are_kept(tmp_path: Path) -> None:
    entry = {"fileMatch": "x.json", "url": "./schemas/test.schema.json", "more": 1}
    found = merged(tmp_path, json.dumps({"json.schemas": [entry]}))["json.schemas"]
    assert found[0] == {**entry, "fileMatch": ["x.json", "**/test.json"]}
    assert [one["url"] for one in found].count("./schemas/test.schema.json") == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("// mine\n{}", "comments"),
        ('{"a": 1,}', "plain JSON"),
        ('{"a": 1, "a": 2}', "plain JSON"),
        ("[]", "object"),
        ("\ufeff{}", "plain JSON"),
        ("[" * 100_000, "plain JSON"),
        ('{"json.schemas": {}}', "unknown form"),
        ('{"yaml.schemas": []}', "unknown form"),
    ],
)
def test_what_would_lose_something_is_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(UnmergeableError, match=why):
        merged_settings(text, tmp_path)


@pytest.mark.parametrize("home", ["", "repository"])
def test_jetbrains_finds_the_files(tmp_path: Path, home: str) -> None:
    (tmp_path / home).mkdir(exist_ok=True)
    text = jetbrains_project(tmp_path)
    assert is_our_project(text)
    found = ElementTree.fromstring(text)
    mapped = {
        info.find("option[@name='relativePathToSchema']").attrib["value"]: [  # type: ignore[union-attr]
            path.attrib["value"] for path in info.iterfind(".//Item/option[@name='path']")
        ]
        for info in found.iter("SchemaInfo")
    }
    assert set(mapped) == set(schema_copies())
    file = "repository/privacy/emails/test.yaml"
    patterns = mapped["schemas/test.schema.json"]
    assert any(fnmatchcase(file if "/" in one else Path(file).name, one) for one in patterns)
    assert mapped["schemas/settings.schema.json"] == ["lve.yaml", "lve.yml"]


def test_a_project_with_another_schema_is_not_ours(tmp_path: Path) -> None:
    text = jetbrains_project(tmp_path)
    assert not is_our_project(text.replace('key="lve suite"', "key='mine'"))
    assert not is_our_project("")


@pytest.mark.parametrize("home", ["", "repository"])
def test_a_modeline_leads_from_its_file_to_a_copy(tmp_path: Path, home: str) -> None:
    (tmp_path / home).mkdir(exist_ok=True)
    for name, content in schema_copies().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    lines = modelines(tmp_path)
    assert len(lines) == 3
    for file, line in lines.items():
        folder = (tmp_path / file).parent
        folder.mkdir(parents=True, exist_ok=True)
        way = re.sub(r"^# yaml-language-server: \$schema=", "", line)
        assert (folder / way).is_file()
