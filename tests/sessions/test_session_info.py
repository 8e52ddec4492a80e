"""What the code calls the fields of `session.json` is what its schema says."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from lve.documents.validation.schema import load_schema
from lve.sessions.session_info import (
    AmountInfo,
    RowsInfo,
    SessionInfo,
    Status,
    UnfinishedInfo,
)

SCHEMA = load_schema("session")
FIELDS = SCHEMA["properties"]


@pytest.mark.parametrize(
    ("kind", "properties"),
    [
        (SessionInfo, FIELDS),
        (AmountInfo, SCHEMA["$defs"]["amount"]["properties"]),
        (RowsInfo, FIELDS["selected"]["items"]["properties"]),
        (UnfinishedInfo, FIELDS["unfinished"]["items"]["properties"]),
    ],
)
def test_an_object_has_the_fields_of_its_schema(kind: Any, properties: dict[str, object]) -> None:
    names = {name for base in kind.__mro__ for name in vars(base).get("__annotations__", ())}
    assert names == properties.keys()


def test_a_session_has_the_statuses_of_its_schema() -> None:
    assert list(get_args(Status)) == FIELDS["status"]["enum"]
