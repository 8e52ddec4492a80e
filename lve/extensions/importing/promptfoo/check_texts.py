"""The texts, files and variables of a test's checks, while its assertions are converted."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from lve.data_classes import dataclass, field
from lve.documents.position_types import TextError
from lve.documents.yaml_text import parse_yaml
from lve.escape import excerpt
from lve.extensions.importing.promptfoo.source import FILE, CallForm, Source, UnsupportedError
from lve.extensions.importing.promptfoo.templates import is_template, to_placeholders, value_text
from lve.extensions.importing.promptfoo.thresholds import Check


@dataclass(slots=True)
class CheckTexts:
    """Collects what the checks of a test need."""

    source: Source
    variables: Collection[str] = ()
    """Those that the test has."""
    has_texts: bool = True
    """Whether all their values are texts."""
    transforms: list[Check] = field(default_factory=list)
    """What changes the answer before it is judged."""
    calls: CallForm | None = None
    """What it gets of calls of tools."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The options of the test."""
    is_scored: bool = False
    """Whether the scores of checks count, not only their verdicts."""
    names: dict[str, None] = field(default_factory=dict)
    """Variables in the texts of the checks."""
    files: dict[str, str] = field(default_factory=dict)
    """Name -> content of files beside the document."""

    def rubric_prompt(self, assertion: Check) -> object:
        """Return the template of an assertion's judge; nothing if it has none of its own."""
        return assertion.get("rubricPrompt") or self.options.get("rubricPrompt")

    def text(self, value: Any) -> str:
        """Return a value as a text with lve's placeholders. A `file://` value is read.

        Raises:
            UnsupportedError: the value isn't a text.
        """
        if isinstance(value, str) and value.startswith(FILE):
            value = self._of_file(value)
        if value is None or isinstance(value, dict | list):
            raise UnsupportedError("left out: its value isn't a text")
        return to_placeholders(value_text(value), self.names)

    def texts(self, value: object) -> list[str]:
        """Return a value as a list of texts. A single text is split at its commas.

        Raises:
            UnsupportedError: the value isn't a list of texts.
        """
        if isinstance(value, str) and not value.startswith(FILE):
            value = [part.strip() for part in value.split(",")]
        if not isinstance(value, list) or not value:
            raise UnsupportedError("left out: its value isn't a list of texts")
        return [self.text(text) for text in value]

    def schema(self, schema: Any) -> str:
        """Add a file with a JSON Schema to `files`, and return its name.

        Raises:
            UnsupportedError: the value isn't a JSON Schema.
        """
        if isinstance(schema, str) and schema.startswith(FILE):
            schema = self.source.data(schema)
        elif isinstance(schema, str) and not is_template(schema):
            with suppress(TextError):
                schema = parse_yaml(schema)
        if not isinstance(schema, dict):
            raise UnsupportedError("left out: its value isn't a JSON Schema")
        name = f"schema_{len(self.files) + 1}.json"
        self.files[name] = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        return name

    def _of_file(self, name: str) -> str:
        if not name.endswith((".txt", ".md", ".json")):
            raise UnsupportedError(f"left out: {excerpt(name)} isn't a text")
        text = self.source.text(name)
        return text.strip() if name.endswith(".txt") else text  # as promptfoo
