"""The address of a team's store."""

from __future__ import annotations

import pytest

from lve.errors import UsageError
from lve.execution.cache.postgres import PostgresStore

pytest.importorskip("psycopg")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret word@db/x?nosuch=1",
        "host=db password=s3cret",
        "sqlite:///s3cret",
        "postgresql://me:s3cret@[::1/x",
    ],
)
def test_a_url_that_is_none_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError, match="LVE_STORE is no URL") as caught:
        PostgresStore(url)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_messages_name_the_server_without_user_and_password() -> None:
    assert PostgresStore("postgresql://me:s3cret@db:5432/team?sslmode=require").place == "db/team"
