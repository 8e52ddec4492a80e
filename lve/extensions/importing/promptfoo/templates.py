"""Converts Nunjucks templates: `{{name}}` becomes `{name}`, and other braces are doubled."""

from __future__ import annotations

import json
import re

from lve.escape import excerpt
from lve.extensions.importing.promptfoo.source import BY_ITSELF, UnsupportedError
from lve.prompts.fill_texts import as_literal

_OPENING = re.compile(r"\{\{|\{%|\{#")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}"}
_WHOLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
ONLY_VARIABLES = "lve fills in variables"
MAX_FILLED = 100_000
"""Maximum length of a value with other values in it, in characters."""
MAX_DEPTH = 5
"""How many values may be in each other."""
_VARIABLE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?:\|\s*safe\s*)?")


def is_template(text: str) -> bool:
    """Return whether a text has anything that Nunjucks would replace."""
    return _OPENING.search(text) is not None


def to_placeholders(text: str, names: dict[str, None]) -> str:
    """Return a template with lve's placeholders.

    Args:
        text: the template.
        names: gets the names of the variables.

    Raises:
        UnsupportedError: the template has filters, loops or attributes.
    """
    parts, at = list[str](), 0
    while match := _OPENING.search(text, at):
        parts.append(as_literal(text[at : match.start()]))
        end = text.find(_CLOSING[match[0]], match.end())
        if end < 0:
            raise UnsupportedError(f"left out: {match[0]} is never closed")
        inner, at = text[match.end() : end], end + 2
        if match[0] == "{#":
            continue
        variable = _VARIABLE.fullmatch(inner) if match[0] == "{{" else None
        if variable is None:
            tag = excerpt(text[match.start() : at])
            raise UnsupportedError(f"left out: {ONLY_VARIABLES}, not {tag}")
        names[variable[1]] = None
        parts.append(f"{{{variable[1]}}}")
    return "".join([*parts, as_literal(text[at:])])


def filled(row: dict[str, str]) -> dict[str, str]:
    """Return a row whose values are filled in with each other.

    Raises:
        UnsupportedError: a value has something else than variables of the row, or names itself.
    """
    done = {name: text for name, text in row.items() if not is_template(text)}
    for name in row:
        _fill(name, row, done, ())
    return {name: done[name] for name in row}


def _fill(name: str, row: dict[str, str], done: dict[str, str], within: tuple[str, ...]) -> str:
    """Fill in a value, after those that it names, and return it."""
    if name in done:
        return done[name]
    if name not in row:
        raise UnsupportedError(
            f"left out: its variable {within[-1]} names {name}, which isn't there"
        )
    text = row[name]
    is_plain = not is_template(_WHOLE.sub("", text))
    if name in within or len(within) > MAX_DEPTH or not is_plain:
        raise UnsupportedError(f"left out: its variable {name} is a template itself{BY_ITSELF}")
    parts, at, size = list[str](), 0, len(text)
    for match in _WHOLE.finditer(text):
        inner = _fill(match[1], row, done, (*within, name))
        size += len(inner)
        if size > MAX_FILLED:
            raise UnsupportedError(f"left out: its variable {name} would be too long")
        parts += (text[at : match.start()], inner)
        at = match.end()
    done[name] = "".join([*parts, text[at:]])
    return done[name]


def value_text(value: object) -> str:
    """Return a value as a template renders it, in JavaScript's notation."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
