"""Options without secrets, as sessions keep and show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lve.json_types import JsonValue
from lve.secrets.secret_values import REDACTED, is_secret_name


def without_secrets(value: JsonValue, name: str = "") -> Any:
    """Return options with secrets redacted: values whose keys are names of secrets, and user names,
    passwords and queries in URLs."""
    if value is not None and name and is_secret_name(name):
        return REDACTED
    if isinstance(value, Mapping):
        return {str(key): without_secrets(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(item) for item in value]
    if isinstance(value, str) and "://" in value:
        return _plain_url(value)
    return value


def public_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a session with secrets redacted, except `parameters`: a parameter may
    be called `password`, and a resumed session needs its value."""
    return {
        name: value if name == "parameters" else without_secrets(value, name)
        for name, value in options.items()
    }


def _plain_url(text: str) -> str:
    try:
        from urllib.parse import urlsplit, urlunsplit  # late: few options are URLs

        url = urlsplit(text)
        host = url.netloc.rpartition("@")[2]
    except ValueError:
        return REDACTED
    user = f"{REDACTED}@" if "@" in url.netloc else ""
    return urlunsplit((url.scheme, user + host, url.path, REDACTED if url.query else "", ""))
