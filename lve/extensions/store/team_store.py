"""A team's store: sessions and completions of several machines in one PostgreSQL server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from lve.cli.printing import View
from lve.errors import UsageError
from lve.execution.stop import StopSignal
from lve.extensions.store.address import check_url, place_of, store_url
from lve.extensions.store.fetching import fetched_session, stored_sessions
from lve.extensions.store.postgres import PostgresStore
from lve.extensions.store.publishing import Publishing, publish
from lve.extensions.store.server import StoreServer
from lve.extensions.store.shared import SharedCache
from lve.extensions.store.state import StoreState, state_of
from lve.sessions.storage import RemoteSession, Storage


class TeamStore(Storage):
    """Keeps sessions and completions on this machine and in a team's store."""

    is_shared = True

    def __init__(self, setting: str | None) -> None:
        """Args:
        setting: as for `store_url`, which must find a URL.
        """
        self._url = store_url(setting) or ""

    @property
    def place(self) -> str:
        """`HOST/DATABASE` for messages.

        Raises:
            UsageError: as `check`.
        """
        return place_of(self._url)

    def check(self) -> None:
        """See `Storage.check`."""
        check_url(self._url)

    def open_cache(
        self, folder: Path, *, stop_signal: StopSignal, warn: Callable[[str], None]
    ) -> SharedCache:
        """See `Storage.open_cache`."""
        return SharedCache(
            PostgresStore(StoreServer(self._url)), warn=warn, stop_signal=stop_signal
        )

    def begin_upload(self, folder: Path, *, warn: Callable[[str], None]) -> Publishing:
        """See `Storage.begin_upload`."""
        return Publishing(folder, self._url, warn=warn)

    def upload(self, folder: Path, *, warn: Callable[[str], None]) -> bool:
        """See `Storage.upload`."""
        return publish(folder, self._url, warn=warn)

    def download(self, session_dir: Path, name: str) -> Path | None:
        """See `Storage.download`."""
        return fetched_session(self._url, session_dir, name)

    def remote_sessions(self, limit: int, session_dir: Path) -> Sequence[RemoteSession]:
        """See `Storage.remote_sessions`."""
        return stored_sessions(self._url, limit, session_dir)

    def state(self) -> StoreState:
        """Return the state of the server; errors as `state_of`."""
        return state_of(self._url)

    def stats(self) -> View:
        """See `Storage.stats`."""
        from lve.extensions.store.stats import store_stats  # late: it needs the command line

        return store_stats(self._url)

    def refuse_to_delete(self, verb: str) -> None:
        """See `Storage.refuse_to_delete`."""
        raise UsageError(
            f"`lve session cache {verb}` only works on files, but completions are in the team's "
            f"store {self.place}, which others use, too. --session-dir .lve names the file of this "
            "workspace; the owner of the database can delete rows of lve_completions",
            code="store",
        )
