"""Writes the lists of known servers from the table of models (`make docs`): the names of providers
in the settings' schema, and a table of docs/models.md.

A test fails if one of them is stale.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from lve.extension_table import PLUGINS
from lve.models.known_tables import shipped_table
from lve.models.registry import PROVIDERS

ROOT = Path(__file__).parents[1]
SERVERS = shipped_table().providers


def names() -> str:
    """Return the names of all providers that ship with lve."""
    plugins = (name for kind, name in PLUGINS if kind == "model")
    return json.dumps([*dict.fromkeys((*PROVIDERS, *SERVERS, *plugins))])


def table() -> str:
    """Return a row for each server with OpenAI's API."""
    return "".join(
        f"| `{name}/NAME` | `{server.base_url}` | `{server.api_key_env}`"
        f"{'' if server.needs_key else ', if there is one'} |\n"
        for name, server in SERVERS.items()
        if server.api == "openai"
    )


PARTS = (
    ("schemas/settings.schema.json", r'("provider": \{[^]]*"enum": )\[[^]]*\]', names),
    ("docs/models.md", r"(\n\| name \| address \| key \|\n\|---\|---\|---\|\n)(?:\|.*\n)*", table),
)
"""File, what stands before its generated part and the part itself, what writes the part."""


def pages() -> dict[Path, str]:
    """Return the up-to-date content of each file."""
    contents = {}
    for name, pattern, write in PARTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        [before] = re.finditer(pattern, text)
        contents[ROOT / name] = "".join((text[: before.end(1)], write(), text[before.end() :]))
    return contents


if __name__ == "__main__":
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")
