"""Tests are collected alike in every process; otherwise, xdist runs nothing."""

from __future__ import annotations

import gzip

import pytest

PACKED = gzip.compress(b"now")


@pytest.mark.parametrize("packed", [PACKED, PACKED[:-3]])
def test_packed_bytes_and_their_time_stamps_are_in_no_id(
    packed: bytes, request: pytest.FixtureRequest
) -> None:
    assert request.node.name.partition("[")[2] in ("packed0]", "packed1]")
