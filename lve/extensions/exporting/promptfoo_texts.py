"""Writes lve's texts as promptfoo's templates (Nunjucks) and as expressions of JavaScript."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from lve.prompts.fill import Placeholder, fill, parse_template

_OPENING = re.compile(r"\{(?=[{%#])")
_IN_VALUE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
OWN = "lve_text_"
"""Begins the names of variables for placeholders that Nunjucks has no word for."""


KEYWORDS = frozenset(
    ("and", "else", "false", "if", "in", "is", "none", "not", "null", "or", "true", "undefined")
)
"""Words of Nunjucks, which can't name variables."""


class Variables:
    """The variables of a test's rows: its parameters, and texts that lve fills."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        """Template of lve -> variable."""

    def template(self, text: str) -> str:
        """Return a text of lve as a template of Nunjucks.

        Raises:
            PlaceholderError: it isn't a valid text.
        """
        parts = parse_template(text).segments
        mark = next(sign for sign in map(chr, range(0xE000, 0xF900)) if sign not in text)
        written = "".join(p if isinstance(p, str) else mark for p in parts)
        names = iter([self._name(text, p) for p in parts if isinstance(p, Placeholder)])
        return re.sub(mark, lambda _: f"{{{{ {next(names)} }}}}", literal(written))

    def expression(self, text: str) -> str:
        """Return a text of lve as an expression of JavaScript, for an assertion.

        Raises:
            PlaceholderError: it isn't a valid text.
        """
        parts = [
            quoted(p) if isinstance(p, str) else f"context.vars[{quoted(self._name(text, p))}]"
            for p in parse_template(text).segments
        ]
        return " + ".join(parts) if len(parts) != 1 else parts[0]

    def row(self, parameters: Mapping[str, object]) -> dict[str, str]:
        """Return the values of all variables for a row.

        Raises:
            PromptError: a value can't be formatted as its placeholder says.
        """
        return {name: fill(text, parameters) for text, name in self._texts.items()}

    def is_replaced(self, value: str) -> bool:
        """Return whether promptfoo would replace something in the value of a variable."""
        return any(name in self._texts.values() for name in _IN_VALUE.findall(value))

    def _name(self, text: str, placeholder: Placeholder) -> str:
        is_plain = not (placeholder.indexes or placeholder.conversion or placeholder.spec)
        if is_plain and placeholder.name not in KEYWORDS:
            return self._texts.setdefault(f"{{{placeholder.name}}}", placeholder.name)
        written = _written(text, placeholder)
        return self._texts.setdefault(written, f"{OWN}{len(self._texts) + 1}")


def _written(text: str, placeholder: Placeholder) -> str:
    """Return a placeholder as it is written."""
    depth = 0
    for at in range(placeholder.offset, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return text[placeholder.offset : at + 1]
    raise AssertionError(text)


def literal(text: str) -> str:
    """Return a text in which nothing is a template of Nunjucks."""
    return _OPENING.sub('{{ "{" }}', text)


def quoted(text: str) -> str:
    """Return a text as a string of JavaScript that has nothing of a template."""
    return json.dumps(text).replace("{", "\\u007b")
