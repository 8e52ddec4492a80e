"""Checks the team's store for `lve doctor`, if there is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lve.errors import LveError
from lve.extensions.doctor.finding import Finding
from lve.sessions.storage import storage_of
from lve.verdicts.wording import amount

STORE = "team's store"


def team_store_findings(setting: str | None, *, offline: bool) -> Iterator[Finding]:
    """Yield findings about the store; none if there is no store.

    Args:
        setting: the value of `cache` in the settings.
        offline: whether to send nothing to the server.
    """
    store: Any = storage_of(setting)
    if not store.is_shared:
        return
    try:
        yield Finding(STORE, "place", "good", store.place)
        if not offline:
            yield from _server_findings(store.state())
    except LveError as error:
        yield Finding(STORE, "server", "bad", str(error), "`lve run --no-cache` does without it")


def _server_findings(state: Any) -> Iterator[Finding]:
    if state.is_newer:
        hint = "update lve here; until then --no-cache does without"
        yield Finding(STORE, "tables", "bad", f"of a newer lve (version {state.version})", hint)
    elif state.version is None:
        yield Finding(STORE, "tables", "good", "none yet: the first run makes them")
    else:
        more = " or more" if state.has_more else ""
        text = f"version {state.version}, {amount(state.completions, 'completion')}{more}"
        yield Finding(STORE, "tables", "good", text)
    if not state.may_write:
        hint = "ask for GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public"
        yield Finding(STORE, "rights", "bad", "the user may not read and write the tables", hint)
    if state.is_superuser:
        hint = "make a user for lve that has no other rights"
        text = "the user is a superuser: whoever owns the tables can run SQL with its rights"
        yield Finding(STORE, "user", "note", text, hint)
    yield _encryption(
        is_encrypted=state.is_encrypted, is_verified=state.is_verified, is_local=state.is_local
    )


def _encryption(*, is_encrypted: bool, is_verified: bool, is_local: bool) -> Finding:
    if is_encrypted and (is_verified or is_local):
        return Finding(STORE, "TLS", "good", "encrypted")
    if is_local:
        return Finding(STORE, "TLS", "good", "none; the server is on this machine")
    hint = "add ?sslmode=verify-full&sslrootcert=system to the URL, or your own certificate's file"
    if is_encrypted:
        text = "encrypted, but the server's certificate isn't verified"
        return Finding(STORE, "TLS", "note", text, hint)
    text = "none: an attacker on the network can read and change answers, maybe also the password"
    return Finding(STORE, "TLS", "note", text, hint)
