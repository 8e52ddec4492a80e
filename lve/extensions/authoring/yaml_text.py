"""Writes a value as YAML that `lve.documents.yaml_text` reads back as the same value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lve.documents.yaml_rules import ScalarError, plain_value

if TYPE_CHECKING:
    from yaml import SafeDumper, ScalarNode

WIDTH = 96
"""Columns after which a string continues on the next line."""


def yaml_text(value: Mapping[str, object]) -> str:
    """Return an object as a YAML document: short lists and objects on one line."""
    import yaml  # costs start-up time

    class Dumper(yaml.SafeDumper):
        """Quotes strings that YAML 1.2 would parse as another type."""

        def ignore_aliases(self, data: object) -> bool:
            return True

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, indentless=False)

    Dumper.add_representer(str, _text)
    text = yaml.dump(
        value,
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=WIDTH,
    )
    assert isinstance(text, str)
    return text


def _text(dumper: SafeDumper, text: str) -> ScalarNode:
    style = None
    if not all(line.isprintable() for line in text.split("\n")) or not _is_plain(text):
        style = '"'
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _is_plain(text: str) -> bool:
    """Whether a string without quotes is parsed as the same string."""
    try:
        return plain_value(text) == text
    except ScalarError:
        return False
