"""Writes the settings by which editors know the schema of a file, and copies of the schemas.

The copies are in `schemas/` of the workspace. So editors find them offline and in the version that
checks the files, also after a colleague clones the workspace.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from lve.documents.json_text import parse_json
from lve.documents.position_types import TextError
from lve.documents.validation.schema import PUBLISHED, schema_text
from lve.extensions.authoring.places import SCHEMA_FOLDER, home_of_tests
from lve.file_names import (
    DOCUMENT_NAMES,
    MODELS_FILE,
    SETTINGS_FILE,
    SETTINGS_FILES,
    SUITE_FILE,
    SUITE_FILES,
)

VSCODE = ".vscode/settings.json"
JETBRAINS = ".idea/jsonSchemas.xml"
SNIPPETS = ".vscode/lve.code-snippets"
"""Beginnings of tests. In a body, `${1:text}` is a place where the cursor stops."""
FILES: dict[str, tuple[str, ...]] = {
    "test": DOCUMENT_NAMES,
    "suite": SUITE_FILES,
    "settings": SETTINGS_FILES,
    "models": (MODELS_FILE,),
}
"""Schema -> the names of its files."""
EXAMPLES = {
    "test": "CATEGORY/NAME/test.yaml",
    "suite": f"CATEGORY/{SUITE_FILE}",
    "settings": SETTINGS_FILE,
}
"""Schema -> an example of a YAML file with it. Those of `test` and `suite` are relative to the
folder of tests."""
_AT_ROOT = ("settings", "models")
_INDENT = re.compile(r"\n([ \t]+)[^\s]")
_ENTRY = re.compile(r"<entry\s+key\s*=\s*[\"']([^\"']*)")
_SCHEMA_INFO = """\
        <entry key={title}>
          <value>
            <SchemaInfo>
              <option name="generatedName" value="New Schema" />
              <option name="name" value={title} />
              <option name="relativePathToSchema" value={file} />
              <option name="schemaVersion" value="JSON Schema version 2020-12" />
              <option name="patterns">
                <list>
{patterns}
                </list>
              </option>
            </SchemaInfo>
          </value>
        </entry>"""
_PATTERN = """\
                  <Item>
                    <option name="pattern" value="true" />
                    <option name="path" value={path} />
                    <option name="mappingKind" value="Pattern" />
                  </Item>"""
_PROJECT = """\
<?xml version="1.0" encoding="UTF-8"?>
<project version="4">
  <component name="JsonSchemaMappingsProjectConfiguration">
    <state>
      <map>
{entries}
      </map>
    </state>
  </component>
</project>
"""


class UnmergeableError(ValueError):
    """An editor's settings file can't be changed without losing something. The message says why."""


def schema_copies() -> dict[str, bytes]:
    """Return path -> content of the copies of the schemas in a workspace."""
    return {schema_file(name): schema_text(name).encode() for name in FILES}


def schema_file(name: str) -> str:
    """Return the path of a schema's copy, relative to the workspace's root."""
    return f"{SCHEMA_FOLDER}/{name}.schema.json"


def is_schema_of_lve(text: str) -> bool:
    """Whether a text is one of lve's schemas, of any version."""
    try:
        data = parse_json(text)
    except TextError:
        return False
    return isinstance(data, dict) and str(data.get("$id", "")).startswith(PUBLISHED)


def vscode_settings(root: Path) -> dict[str, Any]:
    """Return the settings for VS Code: `json.schemas`, and `yaml.schemas` for the extension
    `redhat.vscode-yaml`."""
    in_json, in_yaml = [], {}
    for name in FILES:
        patterns, address = _globs(name, root), f"./{schema_file(name)}"
        if of_json := [pattern for pattern in patterns if pattern.endswith(".json")]:
            in_json.append({"fileMatch": of_json, "url": address})
        if of_yaml := [pattern for pattern in patterns if not pattern.endswith(".json")]:
            in_yaml[address] = of_yaml
    return {"json.schemas": in_json, "yaml.schemas": in_yaml}


def merged_settings(text: str, root: Path) -> str:
    """Return a settings file of VS Code with those of `vscode_settings` added. All other settings
    stay unchanged.

    Args:
        text: the text of the file; empty if it doesn't exist.
        root: the root of the workspace.

    Raises:
        UnmergeableError: it isn't plain JSON, or these settings have an unknown form.
    """
    try:
        settings = parse_json(text) if text.strip() else {}
    except TextError as error:
        raise UnmergeableError("has comments, or isn't plain JSON") from error
    if not isinstance(settings, dict):
        raise UnmergeableError("isn't an object")
    additions = vscode_settings(root)
    in_json = settings.setdefault("json.schemas", [])
    in_yaml = settings.setdefault("yaml.schemas", {})
    if not isinstance(in_json, list) or not isinstance(in_yaml, dict):
        raise UnmergeableError("has `json.schemas` or `yaml.schemas` of an unknown form")
    for entry in additions["json.schemas"]:
        _merge_entry(in_json, entry)
    for address, patterns in additions["yaml.schemas"].items():
        in_yaml[address] = _joined(in_yaml.get(address), patterns)
    if text.strip() and settings == parse_json(text):
        return text
    first_indent = _INDENT.search(text)
    indent = first_indent[1] if first_indent else "    "
    return json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"


def _merge_entry(entries: list[Any], addition: dict[str, Any]) -> None:
    for entry in entries:
        if isinstance(entry, dict) and entry.get("url") == addition["url"]:
            entry["fileMatch"] = _joined(entry.get("fileMatch"), addition["fileMatch"])
            return
    entries.append(addition)


def _joined(patterns: Any, additions: list[str]) -> list[Any]:
    """Return the given patterns, followed by the wanted ones that are missing."""
    own = patterns if isinstance(patterns, list) else [] if patterns is None else [patterns]
    return [*own, *(pattern for pattern in additions if pattern not in own)]


def jetbrains_project(root: Path) -> str:
    """Return the settings file of JetBrains' editors that maps files to schemas."""
    entries = []
    for name in FILES:
        # In these patterns, `*` also matches slashes; a pattern without a slash is a file name.
        paths = [
            glob.replace("**", "*") if "/**/" in glob else Path(glob).name
            for glob in _globs(name, root)
        ]
        patterns = "\n".join(_PATTERN.format(path=quoteattr(path)) for path in paths)
        title, file = quoteattr(_title(name)), quoteattr(schema_file(name))
        entries.append(_SCHEMA_INFO.format(title=title, file=file, patterns=patterns))
    return _PROJECT.format(entries="\n".join(entries))


def is_our_project(text: str) -> bool:
    """Whether a settings file of JetBrains' editors maps lve's schemas and no others."""
    titles = set(_ENTRY.findall(text))
    return bool(titles) and titles <= {_title(name) for name in FILES}


def modelines(root: Path) -> dict[str, str]:
    """Return example file -> its first line for yaml-language-server, which Neovim uses."""
    home = home_of_tests(root).relative_to(root)
    lines = {}
    for name, example in EXAMPLES.items():
        file = Path(example) if name in _AT_ROOT else home / example
        way = "../" * (len(file.parts) - 1) + schema_file(name)
        lines[file.as_posix()] = f"# yaml-language-server: $schema={way}"
    return lines


def _title(name: str) -> str:
    return f"lve {name}"


def _globs(name: str, root: Path) -> list[str]:
    """Return glob patterns for the files of a schema, relative to the workspace's root."""
    if name in _AT_ROOT:
        return list(FILES[name])
    home = home_of_tests(root).relative_to(root).as_posix()
    above = "" if home == "." else f"{home}/"
    return [f"{above}**/{file}" for file in FILES[name]]
