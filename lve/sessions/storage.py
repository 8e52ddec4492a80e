"""Where sessions and completions are kept: on this machine, and with a team's store there, too."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lve.extension_table import extension_part
from lve.named_tuples import NamedTuple
from lve.sessions.session_info import SessionInfo
from lve.spec.settings_file import load_workspace

if TYPE_CHECKING:
    from lve.execution.cache.cache import CompletionCache
    from lve.execution.cache.contract import ClaimingStore
    from lve.execution.stop import StopSignal

    Cache = CompletionCache | ClaimingStore

STORE_VARIABLE = "LVE_STORE"
"""Environment variable with the URL of a team's store; overrides `cache` in the settings."""


class RemoteSession(NamedTuple):
    """A session of another machine."""

    id: str
    machine: str
    """The name of the machine that ran it."""
    idle_s: float
    """Seconds since something of it was written."""
    info: SessionInfo | None
    """The content of its `session.json`; None if that can't be read."""


class Upload(Protocol):
    """The upload of a session while it runs."""

    def close(self) -> None:
        """Upload the rest; warn if that fails or takes too long."""
        ...


class Storage:
    """Keeps sessions and completions on this machine only. An extension's subclass shares them."""

    is_shared = False
    """Whether others use it, too."""

    def check(self) -> None:
        """Check what the settings say about it, without connecting.

        Raises:
            UsageError: its address is invalid, or a package that it needs isn't installed.
        """

    def open_cache(
        self, folder: Path, *, stop_signal: StopSignal, warn: Callable[[str], None]
    ) -> Cache | None:
        """Open the cache of completions.

        Args:
            folder: the folder of sessions.
            stop_signal: the session's stop signal.
            warn: called with each warning.

        Returns:
            The cache; None, after a warning, if the file can't be written.

        Raises:
            UsageError: as `check`.
        """
        # Late: it imports a database.
        from lve.execution.cache.cache import CACHE_FILE, CompletionCache

        cache = CompletionCache.open(folder / CACHE_FILE, warn=warn)
        if cache is not None:
            cache.claim_keys(stop_signal)
        return cache

    def begin_upload(self, folder: Path, *, warn: Callable[[str], None]) -> Upload | None:
        """Upload a session while it runs; None if it isn't shared.

        Args:
            folder: the session's folder.
            warn: called at the end, if the upload isn't complete.
        """
        return None

    def upload(self, folder: Path, *, warn: Callable[[str], None]) -> bool:
        """Upload a session that has ended, if sessions are shared; return whether it is complete.

        Args:
            folder: the session's folder.
            warn: called with the reason if it isn't complete.
        """
        return True

    def download(self, session_dir: Path, name: str) -> Path | None:
        """Download a session of another machine and return its folder; None if there is none.

        Args:
            session_dir: `workspace.session_dir`.
            name: id of the session, or the beginning of exactly one id.

        Raises:
            NoSessionError: several sessions match.
            SessionError: the storage can't be used, or the session in it is damaged.
        """
        return None

    def remote_sessions(self, limit: int, session_dir: Path) -> Sequence[RemoteSession]:
        """Return the sessions of other machines, the latest first.

        Args:
            limit: number of sessions to return.
            session_dir: of this machine; sessions in it are left out.

        Raises:
            SessionError: the storage can't be used.
        """
        return ()

    def refuse_to_delete(self, verb: str) -> None:
        """Refuse to delete completions that others use.

        Args:
            verb: the command of `lve session cache` that would delete them.

        Raises:
            UsageError: completions are shared.
        """

    def stats(self) -> Any:
        """Return a view (`lve.cli.printing.View`) of the number of shared completions of each
        model; None if completions aren't shared.

        Raises:
            SessionError: the storage can't be used.
        """
        return None


def storage_of(setting: str | None) -> Storage:
    """Return the storage that the environment or `cache` in the settings names."""
    if setting or os.environ.get(STORE_VARIABLE):
        storage: Storage = extension_part("team store")(setting)
        return storage
    return Storage()


def storage_here() -> Storage:
    """Return the storage that the environment or the settings of the current folder name."""
    return storage_of(load_workspace(Path.cwd()).settings.cache)
