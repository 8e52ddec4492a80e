"""The version of an application, which its cached answers and the session are bound to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from lve.child.child_command import child_environment
from lve.errors import SettingsError
from lve.extensions.targets.trust import check_trusted
from lve.files.inside import WHOLE_BYTES, read_inside, reason_of
from lve.models.config import ModelConfig

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
    return digest.hexdigest()[:16]


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


def _printed(config: ModelConfig, command: Sequence[str]) -> str:
    import subprocess  # late: few targets have such a command

    check_trusted(config, command, "its `version`")
    where = f"model {config.name!r}: options.version.command"
    try:
        completed = subprocess.run(
            list(command),
            cwd=root_of(config),
            env=child_environment(os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_S,
            check=False,
        )
    except OSError as error:
        raise SettingsError(f"{where}: can't be started: {error.strerror}", code="target") from None
    except subprocess.TimeoutExpired:
        raise SettingsError(f"{where}: took longer than {COMMAND_S:g} s", code="target") from None
    text = completed.stdout[: 4 * MAX_VERSION_CHARS].decode("utf-8", "replace").strip()
    if completed.returncode or not text:
        raise SettingsError(
            f"{where}: printed no version (exit code {completed.returncode})", code="target"
        )
    return text[:MAX_VERSION_CHARS]
