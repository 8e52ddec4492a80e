"""Reads and checks the URL of a team's store, a PostgreSQL server.

libpq's messages repeat the URL with its password, so none of them is shown.
"""

from __future__ import annotations

import os

from lve.errors import MissingExtraError, UsageError
from lve.escape import one_line
from lve.sessions.storage import STORE_VARIABLE

SCHEMES = ("postgresql://", "postgres://")
_NO_URL = "this is no URL of a PostgreSQL server, such as postgresql://host/database"
_IN_FILE = frozenset({"sslmode", "sslrootcert", "sslnegotiation"})
"""The options that a URL in a file may have: others could read the user's files or redirect the
connection."""


def store_url(setting: str | None) -> str | None:
    """Return the store's URL, None if there is no store. LVE_STORE overrides the settings.

    Args:
        setting: `cache` in the settings, checked by `why_not_in_file`. PGPASSWORD isn't sent there,
            because the settings may not be the user's own. In `~/.pgpass`, each password has its
            server.
    """
    variable = os.environ.get(STORE_VARIABLE)
    if variable or not setting:
        return variable or None
    return f"{setting}{'&' if '?' in setting else '?'}password="


def why_not_in_file(url: str) -> str | None:
    """Return why the settings must not have this URL, None if they may. The reason doesn't repeat
    the URL."""
    from urllib.parse import parse_qsl, urlsplit  # late: few settings name a store

    try:
        parts = urlsplit(url)
        names = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        has_password = parts.password is not None
    except ValueError:
        return _NO_URL
    if not url.startswith(SCHEMES) or not url.isprintable() or parts.fragment:
        return _NO_URL
    if has_password or any("password" in name.lower() for name in names):
        return "an address with a password must never be in a file"
    if names - _IN_FILE:
        return f"of the options in a URL, the settings take {', '.join(sorted(_IN_FILE))}"
    return None


def check_url(url: str) -> None:
    """Check a URL, without connecting.

    Raises:
        MissingExtraError: psycopg isn't installed.
        UsageError: it isn't the URL of a PostgreSQL server. The message doesn't repeat it, because
            it may hold a password.
    """
    _parts_of(url)


def place_of(url: str) -> str:
    """Return `HOST/DATABASE` for messages, without user and password.

    Raises:
        MissingExtraError, UsageError: as `check_url`.
    """
    parts = _parts_of(url)
    host = parts.get("host") or parts.get("hostaddr") or os.environ.get("PGHOST") or "localhost"
    return one_line(f"{host}/{parts.get('dbname') or os.environ.get('PGDATABASE') or ''}")


def _parts_of(url: str) -> dict[str, object]:
    try:
        from psycopg import Error, ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise MissingExtraError(
            "a store in PostgreSQL needs psycopg: pip install 'lve[postgres]'"
        ) from error
    try:
        if not url.startswith(SCHEMES):
            raise ProgrammingError
        return dict(conninfo_to_dict(url))
    except (Error, UnicodeError):
        raise UsageError(
            "the store (LVE_STORE, or `cache` in the settings) is no URL of a PostgreSQL server: "
            "write postgresql://user@host:5432/database, with %-escapes in user and password",
            code="store",
        ) from None
