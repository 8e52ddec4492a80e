"""Folders of hostile files, and a network that nobody reaches."""

from __future__ import annotations

import errno
import os
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


def fill(folder: Path, files: Mapping[str, bytes]) -> None:
    """Empty a folder, and write files into it.

    Args:
        folder: it need not be there.
        files: relative path -> content.
    """
    os.chdir(folder.parent)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in files.items():
        file = folder / name
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(0o600)


def no_network(patch: pytest.MonkeyPatch) -> None:
    """Refuse every connection and every look-up of a name, as a machine without a network does."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))

    def unknown(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "no network here")

    patch.setattr(socket.socket, "connect", refuse)
    patch.setattr(socket.socket, "connect_ex", lambda *_: errno.ENETUNREACH)
    patch.setattr(socket, "getaddrinfo", unknown)
    for name in ("OPENAI_API_KEY", "LVE_STORE", "LVE_TRACEBACK", "CI", "GITHUB_ACTIONS"):
        patch.delenv(name, raising=False)
