"""Where things are: the workspace root, its settings, its `.lve/` folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from lve.conventions import DOCUMENT_NAMES, ROOT_MARKERS

STATE_FOLDER = ".lve"


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
        """The folder of sessions and cache, `.lve`. It may not exist yet."""
        return self.root / STATE_FOLDER


def find_root(start: Path) -> Path:
    """Return the nearest folder from `start` upwards that has `.lverepo`, `lve.yaml` or a
    `pyproject.toml` with `[tool.lve]`.

    When there is none, the current directory, if `start` lies below it; otherwise the folder of
    `start`, but never a test folder: nothing is written into what somebody contributed."""
    folder = start if start.is_dir() else start.parent
    folder = folder.absolute()
    for candidate in (folder, *folder.parents):
        if is_root(candidate):
            return candidate
    here = Path.cwd()
    if folder.is_relative_to(here):
        return here
    return folder.parent if any((folder / name).is_file() for name in DOCUMENT_NAMES) else folder


def is_root(folder: Path) -> bool:
    """Whether a folder says that it is a workspace root."""
    if any((folder / marker).is_file() for marker in ROOT_MARKERS):
        return True
    return _has_tool_table(folder / "pyproject.toml")


def _has_tool_table(pyproject: Path) -> bool:
    try:
        return "[tool.lve" in pyproject.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def display_path(path: Path) -> Path:
    """Return a path as messages show it: relative to the current directory if it is inside."""
    if not path.is_absolute():
        return path
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path
