"""The address of a team's store."""

from __future__ import annotations

import sys

import pytest

from lve.errors import MissingExtraError, UsageError
from lve.extensions.store.address import check_url, place_of, store_url, why_not_in_file
from lve.sessions.storage import STORE_VARIABLE

BROKEN = [
    "postgresql://me:s3cret word@db/x?nosuch=1",
    "host=db password=s3cret",
    "sqlite:///s3cret",
    "postgresql://me:s3cret@[::1/x",
    "postgresql://me:s3cret@h/x?sslmode",
]


@pytest.mark.parametrize("url", BROKEN)
def test_a_url_that_is_none_is_refused_and_not_repeated(url: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(UsageError, match="is no URL of a PostgreSQL server") as caught:
        check_url(url)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_without_psycopg_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lve\[postgres\]'"):
        check_url("postgresql://db/x")


def test_messages_name_the_server_without_user_and_password() -> None:
    pytest.importorskip("psycopg")
    assert place_of("postgresql://me:s3cret@db:5432/team?sslmode=require") == "db/team"
    assert place_of("postgresql://%1B[31m/x") == "\\x1b[31m/x"


def test_the_environment_is_stronger_than_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    assert store_url(None) is None
    monkeypatch.setenv(STORE_VARIABLE, "postgresql://mine/x")
    assert store_url("postgresql://theirs/x") == "postgresql://mine/x"
    monkeypatch.setenv(STORE_VARIABLE, "")
    assert store_url(None) is None


def test_the_password_of_the_environment_isn_t_sent_where_settings_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    conninfo = pytest.importorskip("psycopg.conninfo")
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    for url in ("postgresql://theirs/x", "postgresql://theirs/x?sslmode=require"):
        given = store_url(url)
        assert given is not None
        # Empty, and not absent: libpq then doesn't look at PGPASSWORD.
        assert conninfo.conninfo_to_dict(given)["password"] == ""


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://db.example.org:5432/team?sslmode=verify-full&sslrootcert=system", None),
        ("postgresql://me@db/team", None),
        ("postgresql://me:s3cret@db/team", "password"),
        ("postgresql://me:@db/team", "password"),
        ("postgresql://db/team?password=s3cret", "password"),
        ("postgresql://db/team?PassWord=s3cret", "password"),
        ("postgresql://db/team?passfile=/etc/s3cret", "take sslmode"),
        ("postgresql://db/team?host=s3cret", "take sslmode"),
        ("mysql://s3cret", "no URL"),
        ("postgresql://s3cret\n", "no URL"),
        ("postgresql://[s3cret", "no URL"),
    ],
)
def test_what_settings_may_name(url: str, says: str | None) -> None:
    why = why_not_in_file(url)
    if says is None:
        assert why is None
    else:
        assert why is not None
        assert says in why
        assert "s3cret" not in why
