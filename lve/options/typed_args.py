"""Reads the values of model args that a user types (`--model-arg top_k=40`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.documents.position_types import TextError
from lve.documents.yaml_text import parse_yaml
from lve.escape import excerpt
from lve.settings.reserved import refusal_of_typed_arg


def typed_model_args(texts: Mapping[str, str]) -> dict[str, Any]:
    """Return model args with their values: YAML scalars or flow collections (`0.5`, `[a, b]`,
    `null`).

    Raises:
        ValueError: a text is no such value, or a name is one that a test can't set so.
    """
    values = {}
    for name, text in texts.items():
        try:
            values[name] = parse_yaml(text)
        except TextError as error:
            message = f"'{excerpt(text)}' is not a YAML value: {error.findings[0].message}"
            raise ValueError(message) from error
    for refusal in filter(None, map(refusal_of_typed_arg, values)):
        raise ValueError(": ".join(refusal))
    return values
