"""Sessions of shards, made with a model that adds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
from support.folders import workspace, write_sums

import lve
from lve.errors import LveError
from lve.extensions.shards.verb import merge_shards
from lve.messages import Usage
from lve.sessions.session_file import session_ids
from lve.sessions.session_folder import SessionFolder


def answer(request: Any) -> lve.ScriptedAnswer:
    """Add, sometimes wrongly, and sometimes fail: the question decides."""
    text = request.messages[-1].content
    digest = blake2b(text.encode(), digest_size=2).digest()
    words = text.split()
    error = "bad_request" if digest[0] < 10 else None
    right = digest[0] < 230 and len(words) == 4
    total = str(int(words[1]) + int(words[3])) if right else "0"
    return lve.ScriptedAnswer(total, error=error, usage=Usage(7, 1))


def run(root: Path, state: Path, shard: str | None = None, **options: Any) -> SessionFolder:
    """Run a tree, or a shard of it, and return the session."""
    model = lve.ScriptedModel(answer, name="adds")
    done = lve.run(root, model=model, state=state, shard=shard, use_cache=False, **options)
    assert done.folder is not None
    return done.folder


def shards(root: Path, state: Path, total: int, **options: Any) -> list[SessionFolder]:
    """Run a tree in shards."""
    return [run(root, state, f"{n}/{total}", **options) for n in range(1, total + 1)]


def three_shards(tmp_path: Path) -> list[SessionFolder]:
    """Return the sessions of the shards of a test with 30 instances."""
    write_sums(workspace(tmp_path / "tests") / "sums", 30)
    return shards(tmp_path / "tests", tmp_path / "state", 3)


def refusal(parts: Sequence[SessionFolder], place: Path) -> str:
    """Return why sessions can't be merged; nothing is left of the attempt."""
    with pytest.raises(LveError) as caught:
        merge_shards(parts, place)
    assert session_ids(place) == []
    assert not list(place.glob("*"))[1:]  # .gitignore at most
    return str(caught.value)


def change(folder: SessionFolder, **fields: Any) -> None:
    """Change fields of a `session.json`."""
    file = folder.path / "session.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))
