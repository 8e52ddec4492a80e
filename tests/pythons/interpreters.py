"""Finds the interpreters of this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDERS = (".pyenv/versions/*/bin", ".local/share/uv/python/*/bin", ".asdf/installs/python/*/bin")
"""Where interpreters lie besides PATH, below the home folder."""
START_S = 20
_PROBE = "import ssl, sqlite3, sys, venv; print(*sys.version_info[:2], sep='.')"
"""What an environment needs. Some pyenv shims, and Pythons without their libraries, fail here."""


def interpreters(versions: Iterable[str], more: Iterable[str] = ()) -> dict[str, Path]:
    """Return version -> an interpreter that works, for those versions that this machine has.

    Args:
        versions: such as `3.12`.
        more: further folders to look in, before all others.
    """
    folders = [*map(Path, more), *_folders()]
    found = {version: _first_that_works(version, folders) for version in versions}
    return {version: path for version, path in found.items() if path is not None}


def _folders() -> Iterator[Path]:
    yield from map(Path, filter(None, os.environ.get("PATH", "").split(os.pathsep)))
    for pattern in FOLDERS:
        yield from sorted(Path.home().glob(pattern))


def _first_that_works(version: str, folders: list[Path]) -> Path | None:
    candidates = (folder / f"python{version}" for folder in folders)
    return next((path for path in candidates if path.is_file() and _is(path, version)), None)


def _is(path: Path, version: str) -> bool:
    try:
        asked = subprocess.run(
            [path, "-I", "-c", _PROBE], capture_output=True, text=True, timeout=START_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return asked.returncode == 0 and asked.stdout.strip() == version
