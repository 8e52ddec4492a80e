"""Where things are: the workspace root, its settings, its `.lve/` folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from lve.conventions import DOCUMENT_NAMES, ROOT_MARKERS
from lve.errors import UsageError
from lve.files.git_index import is_tracked
from lve.files.inside import RefusedFileError, read_inside
from lve.files.private import check_private_folder, make_private_folder

STATE_FOLDER = ".lve"
PYPROJECT = "pyproject.toml"
MAX_PYPROJECT_BYTES = 1_000_000
OFFLINE_PROVIDERS = ("dummy", "hf", "replay", "scripted")
"""Those that answer on this machine."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input: float = 0.0
    output: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What the settings say of one model name."""

    provider: str = "openai"
    """A key of `lve.models.registry.PROVIDERS`."""
    model: str | None = None
    """The name that the server knows; the part after the first `/` of our name when absent."""
    base_url: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key."""
    api_version: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)
    """Default model args; a test's and an instance's own win."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What only this provider understands (`answers` of `scripted`, `device` of `hf`, ...)."""
    max_connections: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout_s: float | None = None
    """Seconds for one attempt."""
    price: Price | None = None
    meta_template: Any = None
    """Name or object: how a dialogue becomes this model's input."""
    kind: Literal["lm", "api"] | None = None
    """Whether a dialogue becomes one string (`lm`) or chat messages (`api`)."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The maintainer's limits that no test document can raise."""

    max_tokens: int | None = None
    repeats: int = 100
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class TrustedFile:
    """A code file that may run, as long as its content stays the same."""

    path: str
    """Relative to the root, with `/`."""
    sha256: str
    env: tuple[str, ...] = ()
    """Names of environment variables that it may see besides the usual ones."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The content of `lve.yaml` or `[tool.lve]`."""

    file: Path | None = None
    models: Mapping[str, ModelSettings] = field(default_factory=dict)
    model: str | None = None
    """The model of tests that name none."""
    caps: Caps = field(default_factory=Caps)
    trust: tuple[TrustedFile, ...] = ()
    allow_downloads: bool = False
    """Whether data sets and models may be fetched from the Hugging Face hub."""
    is_own: bool = True
    """Whether the user stands in this workspace. Another one's settings open no doors: its code is
    not trusted, it downloads nothing, and it doesn't say which key goes where."""

    def entry(self, model: str) -> ModelSettings | None:
        """Return what is known of a model: what is said of it here, or what its name says."""
        found = self.models.get(model)
        if found is None and model.startswith("hf/"):
            return ModelSettings(provider="hf")
        return found


@dataclass(frozen=True, slots=True)
class Workspace:
    """A root folder and its settings."""

    root: Path
    settings: Settings = field(default_factory=Settings)

    @property
    def state(self) -> Path:
        """The folder of sessions and cache, `.lve`. It may not exist yet.

        Raises:
            UsageError: it is somebody else's.
        """
        folder = self.root / STATE_FOLDER
        if reason := _why_foreign(folder):
            raise UsageError(
                f"{display_path(folder)}: {reason}, so its sessions and cached answers aren't "
                f"yours: look at it, then delete it (git rm -r --cached {STATE_FOLDER} keeps one "
                "of your own), or give another folder with --session-dir"
            )
        return folder


def _why_foreign(folder: Path) -> str | None:
    """Return why a state folder isn't the user's own, if it isn't.

    Whoever made it has decided what is in it: which answers a model is said to have given, which
    verdicts stand. A clone brings one that git tracks; on a machine of several users it belongs to
    another. An archive that was unpacked can't be told apart from one's own; of that, too, a
    session brings back only what a test folder might say (`pipeline/session_options.py`).
    """
    try:
        check_private_folder(folder)
    except RefusedFileError as error:
        return f"it is {error.reason}"
    except OSError:
        return None
    return "git tracks it" if is_tracked(folder) else None


def offline_provider(model: str) -> str | None:
    """Return the provider that a model's name promises, if it is one that sends nothing: `dummy`
    of `dummy/dummy`. Settings can't send such a name anywhere."""
    provider = model.partition("/")[0]
    return provider if provider in OFFLINE_PROVIDERS else None


def make_state_folder(folder: Path) -> None:
    """Make the folder of sessions and cache for the user alone. One that the user has made and
    names with --session-dir stays as it is; what is made in it is private all the same.

    Raises:
        OSError: it can't be made, or (RefusedFileError) is a link or another user's.
    """
    if folder.name == STATE_FOLDER or not folder.is_dir():
        make_private_folder(folder)


def find_root(start: Path) -> Path:
    """Return the folder from `start` upwards that has `.lverepo`, `lve.yaml` or a `pyproject.toml`
    with `[tool.lve]`. When several have, the outermost: a folder that was contributed to a
    workspace brings no settings of its own, also for somebody who stands in it. A git repository
    ends the search, and so does another owner's folder.

    When there is none, the current directory, if `start` lies below it; otherwise the folder of
    `start`, but never a test folder: nothing is written into what somebody contributed."""
    folder = start if start.is_dir() else start.parent
    folder = folder.absolute()
    above = (folder, *folder.parents)
    for number, candidate in enumerate(above):
        if is_root(candidate):
            return _outermost(above[number:])
    here = Path.cwd()
    if folder.is_relative_to(here):
        return here
    return folder.parent if any((folder / name).is_file() for name in DOCUMENT_NAMES) else folder


def _outermost(folders: Sequence[Path]) -> Path:
    """Return the last root among a root and what lies above it."""
    found = folders[0]
    owner = _owner(found)
    for inner, folder in pairwise(folders):
        # What `here/..` is called to lie in, `here`, isn't above it.
        if inner.name == ".." or (inner / ".git").exists() or _owner(folder) != owner:
            break
        if is_root(folder):
            found = folder
    return found


def _owner(folder: Path) -> int | None:
    try:
        return folder.stat().st_uid
    except OSError:
        return None


def is_root(folder: Path) -> bool:
    """Whether a folder says that it is a workspace root."""
    if any((folder / marker).is_file() for marker in ROOT_MARKERS):
        return True
    return has_tool_table(folder / PYPROJECT)


def has_tool_table(pyproject: Path) -> bool:
    """Whether a pyproject.toml has settings of lve."""
    if not os.path.isfile(pyproject):  # noqa: PTH113 (False in a locked folder)
        return False
    try:
        return b"[tool.lve" in read_inside(pyproject.parent, pyproject, MAX_PYPROJECT_BYTES)
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
    """Return a path: taking it apart costs more than all else that is done for one file."""
    return Path(folder)
