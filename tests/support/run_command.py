"""`lve run` for tests: what to give it, and what came out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import Result
from support.server import ModelServer

from lve.sessions.session_folder import SessionFolder

Run = Callable[..., Result]


def at(server: ModelServer) -> list[str]:
    return ["--model", "openai/test", "--base-url", server.url]


def document(result: Result) -> dict[str, Any]:
    parsed = json.loads(result.stdout)
    assert isinstance(parsed, dict)
    return parsed


def instances(result: Result) -> list[dict[str, Any]]:
    return [one for test in document(result)["tests"] for one in test["instances"]]


def verdicts(root: Path) -> list[tuple[str, int, str]]:
    folder = SessionFolder.find(root / ".lve")
    return sorted((one.test, one.line, one.verdict) for one in folder.results())
