"""The state of a store whose server is remote or hangs."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

pytest.importorskip("psycopg")

from lve.errors import SessionError
from lve.extensions.store import state


def test_a_server_that_hangs_is_left_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lve.extensions.store.server.CONNECT_S", 2)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"postgresql://me@127.0.0.1:{listening.getsockname()[1]}/x"
        began = time.monotonic()
        with pytest.raises(SessionError, match="can't be used"):
            state.state_of(url)
        assert time.monotonic() - began < 60


class Fake:
    """A connection to a server that sends what it likes."""

    def __init__(self, row: Any) -> None:
        self.row = row

    def execute(self, statement: str) -> Fake:
        return self

    def fetchone(self) -> Any:
        return self.row

    def close(self) -> None:
        pass


@pytest.mark.parametrize("row", [None, (), ("\x1b[31m",), ([],)])
def test_rows_that_lve_did_not_write_are_an_error_in_words(
    row: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "connect", lambda url, given_up: Fake(row))
    with pytest.raises(SessionError, match="can't be used") as caught:
        state.models_in_store("postgresql://db/x")
    assert "\x1b" not in str(caught.value)
