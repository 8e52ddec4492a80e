"""Which programs of the settings may run as targets, and what they may do.

A program of the settings runs with the user's rights, and the settings in the current folder may
come from somebody else. So it starts only if the user trusts it for this run (`--trust`), or if the
settings of the user's own workspace list the hashes of its files (`trust`).
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from lve.errors import SettingsError, TrustError
from lve.escape import escape_line, excerpt
from lve.files.inside import WHOLE_BYTES, read_inside
from lve.models.config import ModelConfig
from lve.settings.code_file import trusted_as
from lve.settings.trusted_file import CodeRights, TrustedFile, rights_of

SHOWN_COMMAND = 2_000
"""Most characters of an untrusted command that are shown."""
RIGHTS = ("env", "read", "write", "network", "sandbox", "memory_gb")
"""Options of a target that say what its program may do; the words of `trust`."""


def check_trusted(config: ModelConfig, command: Sequence[str], what: str) -> None:
    """Check that a program of the settings may run.

    Args:
        config: the configuration of the model whose settings name it.
        command: the program and its arguments.
        what: what it is, for the message.

    Raises:
        TrustError: it isn't trusted.
    """
    settings = config.settings
    if not settings.is_own:
        raise TrustError(
            f"model {config.name!r}: {what} is a program of {settings.file}, and you don't stand "
            "in its workspace; look at it, then run lve in there"
        )
    contents = _contents(config, command)
    if config.trusted or _is_listed(config, contents):
        return
    line = excerpt(escape_line(shlex.join(command)), SHOWN_COMMAND)
    raise TrustError(
        f"model {config.name!r}: {what} is a program of the settings and is not trusted: it would "
        f"run `{line}` with your rights; read it, then run again with --trust (pytest: "
        f"--lve-trust), or {_how_to_list(contents)}"
    )


def rights_in(config: ModelConfig, root: Path, *, sandbox: bool) -> CodeRights:
    """Return what a target's program may do.

    Args:
        config: the model's configuration.
        root: the workspace's root, which it may read.
        sandbox: whether it runs in a sandbox if the settings don't say.

    Raises:
        SettingsError: the workspace isn't on this machine, which is a worker of a cluster, say.
        TrustError: a complete sandbox is required, and this machine lacks a part of it.
    """
    options = config.entry.options
    fields: dict[str, Any] = {name: options[name] for name in RIGHTS if name in options}
    for name in ("env", "read", "write"):
        fields[name] = tuple(fields.get(name, ()))
    entry = TrustedFile("", "", **{"sandbox": sandbox, **fields})
    if not root.is_dir():
        raise SettingsError(
            f"model {config.name!r}: its workspace {root} isn't on this machine", code="target"
        )
    required = config.settings.sandbox == "required"
    return rights_of(entry, root, root, sandbox_required=required)


def _is_listed(config: ModelConfig, contents: Mapping[str, bytes]) -> bool:
    """Whether the settings trust all files of a command, of which there must be one. A command
    without any, such as `curl`, needs `--trust`."""
    file, trust = config.settings.file, config.settings.trust
    if file is None or not contents:
        return False
    root = file.parent.absolute()
    return all(
        trusted_as(root / name, source, root, trust) is not None
        for name, source in contents.items()
    )


def _contents(config: ModelConfig, command: Sequence[str]) -> dict[str, bytes]:
    """Return name -> content of the workspace's files that a command names."""
    file = config.settings.file
    root = None if file is None else file.parent.absolute()
    if root is None:
        return {}
    found = ((name, _content(root, name)) for name in command)
    return {name: source for name, source in found if source is not None}


def _how_to_list(contents: Mapping[str, bytes]) -> str:
    """Return what a user who has read the files writes into the settings."""
    if not contents:
        return "name a file of the workspace in it, whose hash can stand under `trust` in lve.yaml"
    entries = [
        {"path": PurePath(name).as_posix(), "sha256": hashlib.sha256(source).hexdigest()}
        for name, source in contents.items()
    ]
    listed = ", ".join(f"{{path: {json.dumps(e['path'])}, sha256: {e['sha256']}}}" for e in entries)
    return f"list it in lve.yaml: `trust: [{escape_line(listed)}]`"


def _content(root: Path, name: str) -> bytes | None:
    """Return the content of a word of a command that names a file of the workspace."""
    try:
        return read_inside(root, name, WHOLE_BYTES)
    except (OSError, ValueError):
        return None
