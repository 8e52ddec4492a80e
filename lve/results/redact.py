"""Keeps secrets out of files and reports: everything that models answer and results contain goes
through here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from lve.redaction import REDACTED, Redactor, find_secrets, is_secret_name
from lve.workspace import Workspace


def redactor(workspace: Workspace) -> Redactor:
    """Return the redactor that removes this workspace's secrets from text."""
    names = [m.api_key_env for m in workspace.settings.models.values() if m.api_key_env]
    return Redactor(find_secrets(os.environ, names))


def without_secrets(value: Any, name: str = "") -> Any:
    """Return options as they may be written: without values whose keys sound secret, and without
    user names, passwords and queries in URLs."""
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
    """Return options without secrets. The names of parameters are up to the test: a `password`
    fills a prompt, and a resumed session needs it."""
    return {
        name: value if name == "parameters" else without_secrets(value, name)
        for name, value in options.items()
    }


def _plain_url(text: str) -> str:
    try:
        url = urlsplit(text)
        host = url.netloc.rpartition("@")[2]
    except ValueError:
        return REDACTED
    user = f"{REDACTED}@" if "@" in url.netloc else ""
    return urlunsplit((url.scheme, user + host, url.path, REDACTED if url.query else "", ""))
