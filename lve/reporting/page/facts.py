"""What one needs to know to have a session again: command, versions, commit, sums."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from lve.conventions import DOCUMENT_NAMES
from lve.options.option import Option
from lve.results.session_file import seconds_of
from lve.run_options import OPTIONS, spelled
from lve.verdicts.recorded import RecordedSession

MOST_HASHED = 5000
"""Tests whose sums are listed; `session.json` has all."""
_NOT_REPEATED = ("state", "keep")
"""Where a session is kept changes nothing of what it gives."""


def session_facts(session: RecordedSession) -> dict[str, Any]:
    """Return a session as the page shows it."""
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


def command_of(info: Mapping[str, Any]) -> str:
    """Return the command that runs the same again, as for a shell."""
    folders = _folders(info.get("tests") or ())
    words = ["lve", "run", *(_in_workspace(path, folders) for path in info.get("paths") or ())]
    for name, value in (info.get("options") or {}).items():
        option = OPTIONS.get(name)
        if option is not None and "run" in option.interfaces and name not in _NOT_REPEATED:
            words += _typed(name, option, value)
    return shlex.join(words)


def _folders(tests: Iterable[str]) -> frozenset[str]:
    """Return tests and the folders that they are in, relative to the workspace's root."""
    return frozenset(
        "/".join(parts[:count])
        for parts in (test.split("/") for test in tests)
        for count in range(1, len(parts) + 1)
    )


def _in_workspace(path: str, folders: frozenset[str]) -> str:
    """Return a path as one types it in the workspace's root. Where the root was on the machine of
    the run is nobody's business."""
    place = PurePath(path)
    if not place.is_absolute():
        return path
    parts = place.parent.parts if place.name in DOCUMENT_NAMES else place.parts
    ends = ("/".join(parts[start:]) for start in range(1, len(parts)))
    return next((end for end in ends if end in folders), ".")


def _typed(name: str, option: Option, value: Any) -> Iterator[str]:
    shape, word = option.values.shape, option.short or spelled(name)
    if shape == "flag":
        yield spelled(name)
    elif shape == "texts":
        for one in value:
            yield from (word, str(one))
    elif shape == "mapping":
        for key, one in value.items():
            yield from (word, f"{key}={one if isinstance(one, str) else json.dumps(one)}")
    elif value is not None:
        yield from (word, str(value))


def _facts(info: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, version in (info.get("versions") or {}).items():
        yield name, str(version)
    yield "commit", str((info.get("git") or {}).get("commit") or "")
    yield "models", ", ".join(info.get("models") or ())
    for role, model in (info.get("roles") or {}).items():
        yield role, str(model)
    yield "requests", str((info.get("spent") or {}).get("requests") or "")
    for model, changes in (info.get("sent") or {}).items():
        yield f"sent to {model}", json.dumps(changes, ensure_ascii=False)
