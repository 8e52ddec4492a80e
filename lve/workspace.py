"""The workspace: its root folder, its settings and its `.lve/` folder."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from lve.errors import UsageError
from lve.file_names import DOCUMENT_NAMES, ROOT_MARKERS
from lve.files.git import is_tracked
from lve.files.inside import DOCUMENT_BYTES, RefusedFileError, read_inside
from lve.files.owner_only import check_private_folder, make_private_folder, open_private
from lve.late import LatePattern
from lve.named_tuples import NamedTuple
from lve.secrets.redaction import lasting_redactor, note_key_variables
from lve.settings.settings import Settings

SESSION_DIR = ".lve"
PYPROJECT = "pyproject.toml"
TOOL_TABLE = LatePattern(
    rb"^[ \t]*(?:\[[ \t]*)?tool[ \t]*\.[ \t]*lve\b"  # [tool.lve], [tool.lve.models], tool.lve = {}
    rb"|^[ \t]*\[[ \t]*tool[ \t]*\][^\n]*\n"  # [tool], and below it: lve = {}
    rb"(?:(?![ \t]*\[)[^\n]*\n)*?[ \t]*lve\b",
    re.MULTILINE,
)
"""What begins settings in a pyproject.toml."""


class Workspace(NamedTuple):
    """A root folder and its settings."""

    root: Path
    settings: Settings = Settings()

    def note_keys(self) -> None:
        """Let nothing leave this process from now on that has a key which the settings name, or
        one that the environment has now."""
        names = [entry.api_key_env for entry in self.settings.models.values() if entry.api_key_env]
        names += [
            name for server in self.settings.tool_servers.values() for name in server.variables
        ]
        note_key_variables(names)
        lasting_redactor()

    @property
    def session_dir(self) -> Path:
        """The folder of sessions and of the cache, `.lve`. It may not exist yet.

        Raises:
            UsageError: git tracks it, or it is a link or another user's.
        """
        folder = self.root / SESSION_DIR
        if reason := _why_foreign(folder):
            raise UsageError(
                f"{display_path(folder)}: {reason}, so its sessions and cached answers aren't "
                f"yours: look at it, then delete it (git rm -r --cached {SESSION_DIR} keeps one "
                "of your own), or give another folder with --session-dir",
                code="foreign_workspace",
            )
        return folder


def _why_foreign(folder: Path) -> str | None:
    """Return why a `.lve` folder isn't the user's own; None if it is.

    Whoever made the folder decided which answers and verdicts are in it. If git tracks it, it came
    with a clone; on a shared machine, it may be another user's. A folder from an archive can't be
    recognised, so a session restores only options that a test may set, too
    (`lve.sessions.stored_options`).
    """
    try:
        check_private_folder(folder)
    except RefusedFileError as error:
        return f"it is {error.reason}"
    except OSError:
        return None
    return "git tracks it" if is_tracked(folder) else None


def make_session_dir(folder: Path) -> None:
    """Make the folder of sessions and of the cache, private to the user and ignored by git.

    An existing folder that was given with --session-dir is left as it is.

    Raises:
        OSError: the folder can't be made; (RefusedFileError) it is a link or another user's.
    """
    if folder.name == SESSION_DIR or not folder.is_dir():
        make_private_folder(folder)
        _ignore_in_git(folder)


def _ignore_in_git(folder: Path) -> None:
    """Write a `.gitignore` into the folder if it has none. Errors don't matter."""
    with suppress(OSError):
        handle = open_private(folder / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(handle, "wb") as file:
            file.write(b"*\n")


def find_root(start: Path) -> Path:
    """Return the workspace root of a file or folder.

    It is the outermost folder at or above `start` with `.lverepo`, `lve.yaml` or `[tool.lve]` in
    its `pyproject.toml`. (The outermost, because a contributed folder must not have settings of its
    own.) The search ends at the root of a git repository and at a folder of another owner.

    Without such a folder, the root is the current directory if `start` is below it, else the folder
    of `start`. If that is a test folder, the root is the folder above it, because lve writes
    nothing into a test folder.
    """
    folder = (start if start.is_dir() else start.parent).absolute()
    above = (folder, *folder.parents)
    for number, candidate in enumerate(above):
        if is_root(candidate):
            return _outermost(above[number:])
    here = Path.cwd()
    if folder.is_relative_to(here):
        return here
    return folder.parent if any((folder / name).is_file() for name in DOCUMENT_NAMES) else folder


def _outermost(folders: Sequence[Path]) -> Path:
    """Return the outermost workspace root.

    Args:
        folders: a workspace root and the folders above it, from the inside out.
    """
    root = folders[0]
    owner = _owner(root)
    for inner, folder in pairwise(folders):
        # By its path, `here/..` is inside `here`, but `here` isn't really above it.
        if inner.name == ".." or (inner / ".git").exists() or _owner(folder) != owner:
            break
        if is_root(folder):
            root = folder
    return root


def _owner(folder: Path) -> int | None:
    try:
        return folder.stat().st_uid
    except OSError:
        return None


def is_root(folder: Path) -> bool:
    """Return whether a folder has a file that makes it a workspace root."""
    has_marker = any((folder / marker).is_file() for marker in ROOT_MARKERS)
    return has_marker or has_tool_table(folder / PYPROJECT)


def has_tool_table(pyproject: Path) -> bool:
    """Return whether a pyproject.toml has settings for lve."""
    if not os.path.isfile(pyproject):  # noqa: PTH113 (False in a locked folder)
        return False
    try:
        return (
            TOOL_TABLE.search(read_inside(pyproject.parent, pyproject, DOCUMENT_BYTES)) is not None
        )
    except OSError:
        return False


def display_path(path: Path) -> Path:
    """Return a path as messages show it: relative to the current directory if it is inside."""
    if not path.is_absolute():
        return path
    try:
        return path.relative_to(_as_path(os.getcwd()))  # noqa: PTH109
    except ValueError:
        return path


@lru_cache(maxsize=1)
def _as_path(folder: str) -> Path:
    """Return a cached `Path`: parsing one takes longer than everything else for one file."""
    return Path(folder)


def is_below(path: str | Path, folder: str | Path) -> bool:
    """Whether the existing part of a path, with links followed, is `folder` or lies below it."""
    return existing_part(Path(path)).resolve().is_relative_to(Path(folder).resolve())


def existing_part(path: Path) -> Path:
    """Return the part of a path that exists: the parts of a glob don't. `..` is resolved, so that
    `here/../there` doesn't count as inside `here`."""
    while not os.path.exists(path) and path != path.parent:  # noqa: PTH110 (locked folders)
        path = path.parent
    return path.resolve() if ".." in path.parts else path.absolute()
