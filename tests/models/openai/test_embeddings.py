"""Reads embeddings."""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from typing import Any

import pytest

from lve.errors import ModelError
from lve.models.openai.embeddings import (
    MAX_VECTOR_LENGTH,
    MAX_VECTOR_VALUE,
    parse_embeddings,
)


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": "x"}]}',
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
    ],
)
def test_odd_embeddings_are_malformed(body: bytes) -> None:
    with pytest.raises(ModelError, match="unreadable answer"):
        parse_embeddings(body, 1)


FLOATS = b64encode(struct.pack("<2f", 0.5, -1.0)).decode()


@pytest.mark.parametrize(
    "items",
    [
        [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [0.5, -1]}],
        [{"index": 1, "embedding": [0.5, -1]}, {"index": 0, "embedding": [1, 2]}],
        [{"index": "1", "embedding": [0.5, -1]}, {"index": "0", "embedding": [1, 2]}],
        [{"embedding": [1, 2]}, {"embedding": [0.5, -1]}],
        [{"index": None, "embedding": [1, 2]}, {"index": 1, "embedding": [0.5, -1]}],
        [{"index": 0, "embedding": [1, 2]}, {"index": 0, "embedding": [0.5, -1]}],
        [{"index": 0, "embedding": [[1, 2]]}, {"index": 1, "embedding": [[0.5, -1]]}],
        [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": FLOATS}],
    ],
)
def test_embeddings_of_all_servers_are_read(items: Any) -> None:
    body = json.dumps({"data": items}).encode()
    assert parse_embeddings(body, 2) == [[1.0, 2.0], [0.5, -1.0]]


@pytest.mark.parametrize(
    "vector",
    [
        *("AAAA!", "AAA=", [[1, 2], [3, 4]], [[[1]]], FLOATS + FLOATS, None, "zczMfw=="),
        {"0": 1.0},  # its keys are no vector
        [MAX_VECTOR_VALUE * 1.01],
        [-MAX_VECTOR_VALUE * 1.01],
    ],
)
def test_what_is_no_vector_is_malformed(vector: Any) -> None:
    body = json.dumps({"data": [{"embedding": [1.0]}, {"embedding": vector}]}).encode()
    with pytest.raises(ModelError, match="unreadable answer"):
        parse_embeddings(body, 2)


@pytest.mark.parametrize(
    ("vector", "is_read"),
    [
        ([0.0] * MAX_VECTOR_LENGTH, True),
        ([0.0] * (MAX_VECTOR_LENGTH + 1), False),
        ([MAX_VECTOR_VALUE, -MAX_VECTOR_VALUE], True),
    ],
)
def test_the_largest_vectors(vector: list[float], is_read: bool) -> None:
    body = json.dumps({"data": [{"embedding": vector}]}).encode()
    if is_read:
        assert parse_embeddings(body, 1) == [vector]
    else:
        with pytest.raises(ModelError, match="unreadable answer"):
            parse_embeddings(body, 1)
