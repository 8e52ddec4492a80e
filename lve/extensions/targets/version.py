"""The version of an application, which its cached answers and the session are bound to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from lve.errors import ModelError, SettingsError
from lve.escape import head
from lve.extensions.targets.trust import check_trusted
from lve.extensions.targets.workers import Command, printed_by
from lve.files.inside import WHOLE_BYTES, read_inside, reason_of
from lve.models.config import ModelConfig
from lve.settings.trusted_file import CodeRights

COMMAND_S = 30.0
"""Seconds that a command which prints a version may take."""
MAX_VERSION_CHARS = 200


def root_of(config: ModelConfig) -> Path:
    """Return the folder of the settings, which define the target."""
    file = config.settings.file
    return file.parent.absolute() if file is not None else Path().absolute()


def files_version(config: ModelConfig, names: Sequence[str]) -> str:
    """Return a hash of files beneath the workspace.

    Raises:
        SettingsError: one can't be read.
    """
    digest = sha256()
    for name in names:
        try:
            content = read_inside(root_of(config), name, WHOLE_BYTES)
        except OSError as error:
            raise SettingsError(
                f"model {config.name!r}: options.version.files: {name}: {reason_of(error)}",
                code="target",
            ) from None
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def version_of(config: ModelConfig, default: str | None = None) -> str | None:
    """Return the version that the settings give, else `default`; None if its answers aren't cached.

    Raises:
        SettingsError: a file of it can't be read, or a command doesn't print it.
        TrustError: a command isn't trusted.
    """
    value: Any = config.entry.options.get("version")
    if value is None:
        return default
    if not isinstance(value, Mapping):
        return str(value)
    if "files" in value:
        return files_version(config, value["files"])
    return _printed(config, value["command"])


def _printed(config: ModelConfig, words: Sequence[str]) -> str:
    check_trusted(config, words, "its `version`")
    command = Command(words, root_of(config), CodeRights(sandbox=None, memory_bytes=None))
    try:
        text = printed_by(command, "the command", COMMAND_S).strip()
    except ModelError as error:
        text, why = "", str(error)
    else:
        why = "the command printed nothing"
    if not text:
        raise SettingsError(
            f"model {config.name!r}: options.version.command: {why}", code="target"
        ) from None
    return head(text, MAX_VERSION_CHARS)
