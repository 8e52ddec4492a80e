"""What a session keeps of its options."""

from __future__ import annotations

from dataclasses import fields

from lve.documents.schema import load_schema
from lve.pipeline.options import RunOptions


def test_the_schema_knows_every_option() -> None:
    """A session whose options it doesn't know could not be resumed."""
    known = load_schema("session")["properties"]["options"]["properties"]
    assert set(known) == {item.name for item in fields(RunOptions)} - {"own_models"}
