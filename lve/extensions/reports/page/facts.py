"""The facts of a session that are needed to reproduce it: command, versions, commit, hashes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from lve.file_names import DOCUMENT_NAMES
from lve.options.option import Option
from lve.options.run_options import OPTIONS, spelled
from lve.sessions.session_file import seconds_of
from lve.sessions.session_info import SessionInfo
from lve.verdicts.recorded_session import SummedSession

MOST_HASHED = 5000
"""Tests whose hashes are listed; `session.json` has all."""
_NOT_REPEATED = ("state", "keep")
"""Options that only choose where a session is kept, which doesn't change its results."""


def session_facts(session: SummedSession) -> dict[str, object]:
    """Return the facts of a session as JSON for the page."""
    info = session.info
    hashes = info.get("tests") or {}
    return {
        "id": session.id,
        "status": session.status,
        "started": info["started"],
        "seconds": seconds_of(info),
        "command": command_of(info),
        "facts": [[name, text] for name, text in _facts(info) if text],
        "hashes": dict(list(hashes.items())[:MOST_HASHED]),
    }


def command_of(info: SessionInfo) -> str:
    """Return the shell command that runs the same tests with the same options."""
    folders = _folders(info.get("tests") or ())
    words = ["lve", "run", *(_in_workspace(path, folders) for path in info.get("paths") or ())]
    for name, value in (info.get("options") or {}).items():
        option = OPTIONS.get(name)
        if option is not None and "run" in option.interfaces and name not in _NOT_REPEATED:
            words += _option_words(name, option, value)
    return shlex.join(words)


def _folders(tests: Iterable[str]) -> frozenset[str]:
    """Return the tests and all folders above them, relative to the workspace's root."""
    return frozenset(
        "/".join(parts[:count])
        for parts in (test.split("/") for test in tests)
        for count in range(1, len(parts) + 1)
    )


def _in_workspace(path: str, folders: frozenset[str]) -> str:
    """Return a path relative to the workspace's root. The absolute path is private: it belongs to
    the machine of the run."""
    place = PurePath(path)
    if not place.is_absolute():
        return path
    parts = place.parent.parts if place.name in DOCUMENT_NAMES else place.parts
    ends = ("/".join(parts[start:]) for start in range(1, len(parts)))
    return next((end for end in ends if end in folders), ".")


def _option_words(name: str, option: Option, value: Any) -> Iterator[str]:
    shape, word = option.values.shape, option.short or spelled(name)
    if shape == "flag":
        yield spelled(name)
    elif shape == "texts":
        for part in value:
            yield from (word, str(part))
    elif shape == "mapping":
        for key, part in value.items():
            yield from (word, f"{key}={part if isinstance(part, str) else json.dumps(part)}")
    elif value is not None:
        yield from (word, str(value))


def _facts(info: SessionInfo) -> Iterator[tuple[str, str]]:
    for name, version in (info.get("versions") or {}).items():
        yield name, str(version)
    yield "commit", str((info.get("git") or {}).get("commit") or "")
    yield "models", ", ".join(info.get("models") or ())
    for role, model in (info.get("roles") or {}).items():
        yield role, str(model)
    yield "requests", str((info.get("spent") or {}).get("requests") or "")
    for model, changes in (info.get("sent") or {}).items():
        yield f"sent to {model}", json.dumps(changes, ensure_ascii=False)
