"""The workspace: its root folder, its settings, its `.lve/` folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lve.conventions import DOCUMENT_NAMES, ROOT_MARKERS
from lve.errors import UsageError
from lve.files.git import is_tracked
from lve.files.inside import RefusedFileError, read_inside
from lve.files.private import check_private_folder, make_private_folder, open_private
from lve.redaction import Redactor, find_secrets
from lve.settings.calibration_settings import CalibrationSettings
from lve.settings.comparison_settings import ComparisonSettings

if TYPE_CHECKING:
    from lve.settings.tool_server import ToolServer
    from lve.settings.trusted_file import TrustedFile
    from lve.settings.worker_shape import WorkerShape

SESSION_DIR = ".lve"
PYPROJECT = "pyproject.toml"
MAX_PYPROJECT_BYTES = 1_000_000
OFFLINE_PROVIDERS = ("dummy", "hf", "replay", "scripted")
"""Providers that answer on this machine and send nothing."""


class LongPrompts(NamedTuple):
    """The prices of requests whose prompt is long."""

    above: int
    """Tokens of a prompt."""
    input: float
    output: float
    cached_input: float | None = None


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: float = 0.0
    output: float = 0.0
    """Reasoning counts as output."""
    cached_input: float | None = None
    """For the part of a prompt that the provider had in its cache; None: as any other."""
    long_prompts: LongPrompts | None = None

    def for_prompt(self, tokens: int) -> Price | LongPrompts:
        """Return the price of a request whose prompt has so many tokens."""
        long = self.long_prompts
        return self if long is None or tokens <= long.above else long


def price_from(data: Mapping[str, Any] | None) -> Price | None:
    """Return the price in a valid document."""
    if data is None:
        return None
    values = {name: value for name, value in data.items() if value is not None}
    long = values.pop("long_prompts", None)
    return Price(**values, long_prompts=None if long is None else LongPrompts(**long))


class ModelSettings(NamedTuple):
    """The settings of one model."""

    provider: str = "openai"
    """A key of `lve.models.registry.PROVIDERS`."""
    model: str | None = None
    """The model's name at the server; if absent, the part of its name after the first `/`."""
    base_url: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key."""
    api_version: str | None = None
    api: Literal["chat", "responses"] | None = None
    """Which of OpenAI's APIs is asked: chat completions, or Responses; None: the model's."""
    args: Mapping[str, Any] = {}
    """Default model args; a test or an instance can override them."""
    options: Mapping[str, Any] = {}
    """Options of the provider (`answers` of `scripted`, `device` of `hf`, ...)."""
    max_connections: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout_s: float | None = None
    """Seconds for one attempt."""
    price: Price | None = None
    refuses: tuple[str, ...] = ()
    """Model args that the model refuses: lve leaves out its own default of them."""
    renames: Mapping[str, str] = {}
    """Model arg -> the name under which the model takes it."""
    meta_template: Any = None
    """How a dialogue becomes the model's input: the name of a meta template, or the object."""
    kind: Literal["lm", "api"] | None = None
    """Whether a dialogue becomes one string (`lm`) or chat messages (`api`)."""
    prompt_logprobs: bool = False
    """Whether the chat server rates prompts, as vLLM does."""
    worker: WorkerShape | None = None
    """What a worker of a cluster takes that runs tests against it."""


class Caps(NamedTuple):
    """The maintainer's limits (`caps` in the settings). No test document can raise them."""

    max_tokens: int | None = None
    repeats: int = 100
    rows: int | None = None
    tool_turns: int = 50
    user_turns: int = 50


class Settings(NamedTuple):
    """The content of `lve.yaml` or `[tool.lve]`."""

    file: Path | None = None
    models: Mapping[str, ModelSettings] = {}
    model: str | None = None
    """The model for tests that name none."""
    roles: Mapping[str, str] = {}
    """Role -> model."""
    role_budgets: Mapping[str, Mapping[str, Any]] = {}
    """Role -> its own budget (`max_cost`, ...), where it has one."""
    caps: Caps = Caps()
    trust: tuple[TrustedFile, ...] = ()
    sandbox: Literal["best", "required"] = "best"
    """Whether trusted code runs where a layer of the sandbox is missing."""
    plugins: tuple[str, ...] = ()
    """Names of plugins that tests may use."""
    known_models: Path | None = None
    """The workspace's own table of models, `lve.models.json`, if there is one."""
    tool_servers: Mapping[str, ToolServer] = {}
    cache: str | None = None
    """The URL of a team's store of completions; None: a file in `.lve`."""
    allow_downloads: bool = False
    """Whether data sets and models may be fetched from the Hugging Face hub."""
    calibration: CalibrationSettings = CalibrationSettings()
    comparison: ComparisonSettings = ComparisonSettings()
    ray: str | None = None
    """Address of the Ray cluster that runs use; None: they run here."""
    worker: WorkerShape | None = None
    is_own: bool = True
    """Whether the current folder is in it. Others' settings can't trust code or send keys."""

    def entry(self, model: str) -> ModelSettings | None:
        """Return a model's settings, or those that its name implies (`hf/...`), or None."""
        found = self.models.get(model)
        if found is None and model.startswith("hf/"):
            return ModelSettings(provider="hf")
        return found


class Workspace(NamedTuple):
    """A root folder and its settings."""

    root: Path
    settings: Settings = Settings()

    def redactor(self) -> Redactor:
        """Return what removes this workspace's secrets, as the environment has them, from text."""
        names = [entry.api_key_env for entry in self.settings.models.values() if entry.api_key_env]
        names += [name for one in self.settings.tool_servers.values() for name in one.variables]
        return Redactor(find_secrets(os.environ, names))

    @property
    def session_dir(self) -> Path:
        """The folder for sessions and the cache, `.lve`. It may not exist yet.

        Raises:
            UsageError: it belongs to somebody else.
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

    Who made it decides which answers and verdicts it holds. One that git tracks came with a clone;
    another user's may be there on a shared machine. One from an archive can't be recognised, so a
    session restores only options that a test may set, too (`pipeline/sessions/session_options.py`).
    """
    try:
        check_private_folder(folder)
    except RefusedFileError as error:
        return f"it is {error.reason}"
    except OSError:
        return None
    return "git tracks it" if is_tracked(folder) else None


def offline_provider(model: str) -> str | None:
    """Return the provider in a model's name if it sends nothing. Settings can't change that."""
    provider = model.partition("/")[0]
    return provider if provider in OFFLINE_PROVIDERS else None


def make_session_dir(folder: Path) -> None:
    """Make the folder for sessions and the cache, accessible to the user alone and ignored by git.

    One that exists and was named with --session-dir stays as it is; what lve makes is private.

    Raises:
        OSError: it can't be made; (RefusedFileError) it is a link or belongs to another user.
    """
    if folder.name == SESSION_DIR or not folder.is_dir():
        make_private_folder(folder)
        _ignore_in_git(folder)


def _ignore_in_git(folder: Path) -> None:
    """Have git ignore a folder that has no `.gitignore`. It doesn't matter if that fails."""
    with suppress(OSError):
        handle = open_private(folder / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(handle, "wb") as file:
            file.write(b"*\n")


def find_root(start: Path) -> Path:
    """Return the workspace root of a file or folder.

    It is the outermost folder at or above `start` with `.lverepo`, `lve.yaml` or `[tool.lve]` in
    its `pyproject.toml`: a contributed folder can't bring its own settings. The search ends at a
    git repository's root and at another owner's folder.

    Without such a folder, the root is the current directory if `start` is below it, and else the
    folder of `start`; if that is a test folder, the folder above it, because lve writes nothing
    into a test folder.
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
    """Return the last root among a root and what lies above it."""
    found = folders[0]
    owner = _owner(found)
    for inner, folder in pairwise(folders):
        # The path of `here/..` says that it lies in `here`, but `here` isn't above it.
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
    """Whether a folder has a file that makes it a workspace root."""
    has_marker = any((folder / marker).is_file() for marker in ROOT_MARKERS)
    return has_marker or has_tool_table(folder / PYPROJECT)


def has_tool_table(pyproject: Path) -> bool:
    """Whether a pyproject.toml has settings of lve."""
    if not os.path.isfile(pyproject):  # noqa: PTH113 (False in a locked folder)
        return False
    try:
        return b"[tool.lve" in read_inside(pyproject.parent, pyproject, MAX_PYPROJECT_BYTES)
    except OSError:
        return False


def display_path(path: Path) -> Path:
    """Return a path for messages: relative to the current directory if it is inside."""
    if not path.is_absolute():
        return path
    try:
        return path.relative_to(_as_path(os.getcwd()))  # noqa: PTH109
    except ValueError:
        return path


@lru_cache(maxsize=1)
def _as_path(folder: str) -> Path:
    """Return a path, cached: parsing it costs more than all else that is done for one file."""
    return Path(folder)
