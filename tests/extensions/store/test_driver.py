"""Descriptions of PostgreSQL's errors, and which are transient."""

from __future__ import annotations

import pytest

from lve.extensions.store.driver import describe_error, is_transient

psycopg = pytest.importorskip("psycopg")


@pytest.mark.parametrize(
    ("name", "waits", "says"),
    [
        ("AdminShutdown", True, "shutting down"),
        ("CannotConnectNow", True, "starting"),
        ("TooManyConnections", True, "too many"),
        ("QueryCanceled", True, "too long"),
        ("DeadlockDetected", True, "40P01"),
        ("ConnectionFailure", True, "08006"),
        ("DiskFull", False, "disk is full"),
        ("ReadOnlySqlTransaction", False, "read-only"),
        ("InsufficientPrivilege", False, "lacks a right"),
        ("InvalidPassword", False, "password"),
        ("InvalidCatalogName", False, "no such database"),
        ("UndefinedColumn", False, "tables"),
        ("OutOfMemory", False, "memory"),
        ("IoError", False, "disk fails"),
        ("DataCorrupted", False, "damaged"),
    ],
)
def test_what_passes_is_waited_for_and_what_does_not_is_said(
    name: str, waits: bool, says: str
) -> None:
    error = getattr(psycopg.errors, name)("s3cret")
    assert is_transient(error) is waits
    assert says in describe_error(error)
    assert "s3cret" not in describe_error(error)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('FATAL:  password authentication failed for user "s3cret"', "password"),
        ("fe_sendauth: no password supplied", "password"),
        ('FATAL:  role "s3cret" does not exist', "user"),
        ('FATAL:  no pg_hba.conf entry for host "s3cret"', "user"),
        ('FATAL:  database "s3cret" does not exist', "no such database"),
        ("SSL error: certificate verify failed", "TLS"),
        ("server does not support SSL, but SSL was required", "TLS"),
        ('root certificate file "s3cret" does not exist', "TLS"),
        ('invalid sslmode value: "s3cret"', "option"),
    ],
)
def test_a_refused_connection_isn_t_waited_for(text: str, says: str) -> None:
    error = psycopg.OperationalError(f"connection failed: {text}")
    assert not is_transient(error)
    assert says in describe_error(error)
    assert "s3cret" not in describe_error(error)


def test_a_server_that_isn_t_there_is_waited_for() -> None:
    for error in (
        psycopg.OperationalError("connection failed: Connection refused"),
        psycopg.OperationalError("SSL error: unexpected eof while reading"),
        psycopg.InterfaceError("the connection is lost"),
    ):
        assert is_transient(error)
        assert "can't be reached" in describe_error(error)
    assert not is_transient(ValueError("a bug"))
    assert "can't be reached" not in describe_error(ValueError("a bug"))


def test_a_state_that_is_none_is_not_repeated() -> None:
    error = psycopg.OperationalError("x")
    error.sqlstate = "\x1b[31m"
    assert "\x1b" not in describe_error(error)
