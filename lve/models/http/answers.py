"""Reads what all answers with status 200 have: a JSON object, texts and names of limited length."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lve.errors import PermanentModelError
from lve.models.http.decode import decode, objects
from lve.models.http.failures import error_in_success, malformed, printable
from lve.models.http.keys import Secret

LONGEST_TEXT = 8 * 1024 * 1024
"""Most characters of an answer; no model writes as much."""
MOST_MODELS = 10_000
"""Most models of a server that are listed."""
MOST_CALLS = 1_000
"""Most calls in one answer."""
LONGEST_LABEL = 256
"""Most characters that are kept of a model's name or a finish reason."""


def parse_success(body: bytes, *, secret: Secret | None = None) -> Mapping[str, Any]:
    """Return the JSON object of an answer with status 200.

    Args:
        body: the body.
        secret: the key in use, removed from messages of the server.

    Raises:
        TransientModelError: it isn't a JSON object, but cut short or a web page, say.
        ModelError: it is an error object, as gateways send it.
    """
    data = parse_object(body, secret=secret)
    if data.get("error"):
        raise error_in_success(data, secret=secret)
    return data


def parse_object(body: bytes, *, secret: Secret | None = None) -> Mapping[str, Any]:
    """Return the JSON object of a body, which may be that of an error; arguments as
    `parse_success`.

    Raises:
        TransientModelError: it isn't a JSON object.
    """
    try:
        data = decode(body)
    except ValueError:
        said = body[:1000].decode("utf-8", "replace")
        start = printable((secret.hide(said) if secret else said)[:60])
        raise malformed(f"not JSON, or cut short: {start!r}") from None
    if not isinstance(data, dict):
        raise malformed(f"a JSON object was expected, not {type(data).__name__}")
    return data


def check_length(characters: int) -> None:
    """Refuse an answer of more than `LONGEST_TEXT` characters."""
    if characters > LONGEST_TEXT:
        raise malformed(f"a text of more than {LONGEST_TEXT} characters")


def text_or_none(value: Any) -> str | None:
    """Return a text; None for anything else, so that a detail of a wrong type doesn't cost the
    answer."""
    return value if isinstance(value, str) else None


def label(value: Any) -> str | None:
    """Return a name, shortened to `LONGEST_LABEL` characters; None if it isn't a text."""
    text = text_or_none(value)
    return text if text is None or len(text) <= LONGEST_LABEL else text[:LONGEST_LABEL] + "..."


def parse_models(body: bytes, *, secret: Secret | None = None) -> list[str]:
    """Return the names in a server's list of models, sorted, at most `MOST_MODELS`.

    Raises:
        TransientModelError: it is no such list.
    """
    data = parse_success(body, secret=secret).get("data")
    if not isinstance(data, list):
        raise malformed("a list of models was expected")
    names = {name for one in objects(data) if (name := label(one.get("id"))) is not None}
    return sorted(names)[:MOST_MODELS]


def arguments_text(given: Any) -> str:
    """Return the arguments of a call, which came as a value, as inside lve: a JSON text. A text is
    what the model wrote instead of an object.

    Raises:
        TransientModelError: they are too long.
    """
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    check_length(len(text))
    return text


def check_calls(calls: int) -> None:
    """Refuse an answer with more than `MOST_CALLS` calls."""
    if calls > MOST_CALLS:
        raise PermanentModelError(
            f"the model asks for more than {MOST_CALLS:,} tools at once", kind="too_many_calls"
        )
