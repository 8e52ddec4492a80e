"""pytest runs inside tests, and what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.forked import python

from lve.sessions.session_folder import SessionFolder


def run_apart(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    """Run pytest in another process."""
    return pytester.run(*python(), "-m", "pytest", *args)


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    """Return the ids that a run would execute."""
    result = pytester.runpytest("--collect-only", "-q", *args)
    return [line for line in result.outlines if "::" in line]


def against(url: str, *more: str) -> list[str]:
    """Return the arguments of a run against a server."""
    return ["repository", "--lve-model=openai/m", f"--lve-base-url={url}", *more]


def sessions(pytester: pytest.Pytester, state: str = ".lve") -> list[dict[str, Any]]:
    """Return the `session.json` of every recorded session."""
    files = sorted((pytester.path / state / "runs").glob("*/session.json"))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def verdicts(pytester: pytest.Pytester, session: str) -> list[tuple[Any, ...]]:
    """Return the results of a session without times, sorted."""
    results = SessionFolder(pytester.path / ".lve" / "runs" / session).results()
    return sorted((r.test, r.model, r.source, r.line, r.repeat, r.verdict) for r in results)
