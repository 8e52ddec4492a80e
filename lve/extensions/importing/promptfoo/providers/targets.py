"""Names providers that are no model of lve's: applications, commands, endpoints, other services.

The test asks for such a name, and the settings say what it is. Only the user can, because a test
may neither run a program nor name an address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lve.escape import excerpt, head
from lve.extensions.importing.promptfoo.source import FILE, Source
from lve.json_types import JsonValue

PREFIX = "app/"
PAGE = "docs/testing-an-application.md"
_OTHERS = re.compile(r"[^A-Za-z0-9._-]+")
_ADDRESS = re.compile(r"(?:https?|wss?)://[^/?#\s@]+(?:/[^?#\s]*)?|https?|websocket")
_PATH = re.compile(r"json((?:\.\w+|\[\d+\])+)")
_MAX_NAME = 60


class Targets:
    """Gives each provider with its own settings a name, and tells what the settings must say."""

    def __init__(self, source: Source) -> None:
        """Args:
        source: collects what is told.
        """
        self._source = source
        self._names: dict[str, None] = {}

    def name(self, provider: str, config: Mapping[str, JsonValue]) -> str:
        """Return a new name for a provider.

        Args:
            provider: promptfoo's name of it: `file://answers.py`, `https://example.org/chat`.
            config: its settings.
        """
        address = config.get("url")
        shown = address if provider in ("http", "https") and isinstance(address, str) else provider
        plain = shown.removeprefix(FILE).rpartition("://")[2].partition("?")[0]
        stem = head(_OTHERS.sub("-", plain).strip("-."), _MAX_NAME).strip("-.") or "target"
        name, number = f"{PREFIX}{stem}", 2
        while name in self._names:
            name, number = f"{PREFIX}{stem}-{number}", number + 1
        self._names[name] = None
        own = f", with its config ({excerpt(', '.join(sorted(config)), 80)})" if config else ""
        self._source.tell(
            f"lve.yaml says how {name} is asked: {excerpt(provider, 80)} there{own}. "
            f"`models: {{{name}: {{provider: {_entry(provider, config)}}}}}` ({PAGE})"
        )
        return name


def _entry(provider: str, config: Mapping[str, JsonValue]) -> str:
    """Return provider and options of an entry of the settings, as far as they are certain."""
    if provider == "echo":
        return 'exec, options: {command: [printf, "%s", "{prompt}"]}'
    if provider.startswith("exec:"):
        words = excerpt(", ".join(provider.removeprefix("exec:").split()), 80) or "PROGRAM"
        return f'exec, options: {{command: [{words}, "{{prompt}}"]}}'
    if _ADDRESS.match(provider):
        answer = _PATH.fullmatch(str(config.get("transformResponse", "")))
        path = f', answer: "${answer[1]}"' if answer else ""
        return f"http, options: {{url: ..., body: ...{path}}}"
    if provider.startswith(FILE) and ".py" in provider:
        return "python, options: {function: ...}"
    return "exec, options: {command: [...]}"
