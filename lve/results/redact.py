"""Keeps secrets out of files and reports: everything that models say, and everything that results
write, goes through here."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from lve.workspace import Workspace

REDACTED = "[redacted]"
MIN_LENGTH = 8
"""Placeholder keys such as `none` or `EMPTY` are words: replacing them would garble answers."""

_SECRET_NAME = re.compile(
    r"(^|_)(API_?KEY|ACCESS_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH(ORIZATION)?)$",
    re.IGNORECASE,
)


class Redactor:
    """Replaces known secrets in text that is about to be written."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        """
        Args:
            secrets: values of keys. Short ones are ignored (`MIN_LENGTH`).
        """
        known = {secret for secret in secrets if len(secret) >= MIN_LENGTH}
        # In JSON a secret looks different when it has quotes, backslashes or non-ASCII letters.
        spelled = known.union(
            *({json.dumps(s)[1:-1], json.dumps(s, ensure_ascii=False)[1:-1]} for s in known)
        )
        self._secrets = sorted(spelled, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return `text` (plain or JSON) without the secrets."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, REDACTED)
        return text


def redactor(workspace: Workspace) -> Redactor:
    """Return what takes this workspace's secrets out of text."""
    names = [m.api_key_env for m in workspace.settings.models.values() if m.api_key_env]
    return Redactor(find_secrets(os.environ, names))


def find_secrets(env: Mapping[str, str], names: Iterable[str] = ()) -> set[str]:
    """Return the values of environment variables that look like secrets by their name
    (`..._API_KEY`, `..._TOKEN`, ...), and of those that the settings name (`api_key_env`)."""
    wanted = set(names)
    return {
        value
        for name, value in env.items()
        if value and (name in wanted or _SECRET_NAME.search(name))
    }


def without_secrets(value: Any, name: str = "") -> Any:
    """Return options as they may be written: no values of keys that are called like a secret, no
    user name, password or query in URLs."""
    if value is not None and name and _SECRET_NAME.search(name.replace("-", "_")):
        return REDACTED
    if isinstance(value, Mapping):
        return {str(key): without_secrets(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_secrets(item) for item in value]
    if isinstance(value, str) and "://" in value:
        return _plain_url(value)
    return value


def _plain_url(text: str) -> str:
    try:
        url = urlsplit(text)
        host = url.netloc.rpartition("@")[2]
    except ValueError:
        return REDACTED
    user = f"{REDACTED}@" if "@" in url.netloc else ""
    return urlunsplit((url.scheme, user + host, url.path, REDACTED if url.query else "", ""))
