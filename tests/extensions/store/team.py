"""Machines of a team, each with a workspace, and what its store has of their sessions."""

from __future__ import annotations

from pathlib import Path

import pytest
from extensions.store.postgres import Server
from support.command_line import call
from support.folders import workspace, write_sums

from lve.extensions.store.server import StoreServer
from lve.extensions.store.sessions import SessionStore
from lve.sessions.session_folder import SessionFolder


def machine(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a workspace, as on a machine of its own, and go there."""
    root = workspace(tmp_path / name)
    write_sums(root / "sums", 5, model="replay")
    monkeypatch.chdir(root)
    monkeypatch.setattr("platform.node", lambda: f"machine-{name}")
    return root


def ran(root: Path) -> str:
    """Run the test, and return the session's id."""
    assert call("run", ".")[0] == 0
    return SessionFolder.find(root / ".lve").id


def stored(server: Server, session: str) -> dict[str, bytes]:
    there = StoreServer(server.url)
    store = SessionStore(there)
    try:
        return {name: b"".join(store.pieces(session, name)) for name in store.files(session)}
    finally:
        there.disconnect()


def files(folder: Path) -> dict[str, bytes]:
    names = ("results.jsonl", "session.json", "tests.jsonl")
    return {name: (folder / name).read_bytes() for name in names}
