"""The programs that settings name: files of code that may run, and tool servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lve.json_types import JsonObject
from lve.settings.tool_server import ToolServer
from lve.settings.trusted_file import TrustedFile


def trusted_files(entries: Iterable[Mapping[str, Any]]) -> tuple[TrustedFile, ...]:
    """Return the entries of `trust`. The schema's keys are the names of the fields."""
    return tuple(map(_trusted_file, entries))


def tool_servers(servers: Mapping[str, JsonObject]) -> Mapping[str, ToolServer]:
    """Return name -> tool server."""
    return {name: ToolServer.from_json(server) for name, server in servers.items()}


def _trusted_file(entry: Mapping[str, Any]) -> TrustedFile:
    values = {key: value for key, value in entry.items() if value is not None}
    lists = {key: tuple(values.get(key, ())) for key in ("env", "read", "write")}
    return TrustedFile(**{**values, **lists})
