"""Reads embeddings in responses of OpenAI's API: a vector per text."""

from __future__ import annotations

from base64 import b64decode
from operator import itemgetter
from typing import Any

from lve.json_types import JsonValue
from lve.models.http.answers import parse_success
from lve.models.http.failures import malformed
from lve.models.http.keys import Secret

MAX_VECTOR_LENGTH = 1 << 16
"""Maximum length of an embedding; the longest known one has 12,288 numbers."""
MAX_VECTOR_VALUE = 1e100
"""Maximum absolute value in an embedding: squares of larger ones may overflow."""


def parse_embeddings(body: bytes, count: int, *, secret: Secret | None = None) -> list[list[float]]:
    """Return the vectors in the body of a successful response, in the order of the texts.

    Args:
        body: the body.
        count: the number of texts.
        secret: the key in use, removed from messages of the server.

    Raises:
        TransientModelError: the body is malformed, or doesn't have one vector per text.
    """
    data = parse_success(body, secret=secret)
    try:
        listed: Any = data["data"]  # whatever it is, it fails below
        items = _in_order(listed)
        vectors = [_vector(item["embedding"]) for item in items[: count + 1]]
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        raise malformed("the embeddings are not lists of numbers") from None
    if len(items) != count or len({len(vector) for vector in vectors}) > 1:
        raise malformed(f"not one embedding per text ({len(items)} for {count}), or other lengths")
    return vectors


def _in_order(listed: Any) -> list[Any]:
    """Return embeddings in the order of their indexes; unless each has its own, as listed."""
    try:
        indexes = [int(item["index"]) for item in listed]
    except (KeyError, TypeError, ValueError, OverflowError):
        return [*listed]
    if len({*indexes}) < len(indexes):
        return [*listed]
    return [item for _, item in sorted(zip(indexes, listed, strict=True), key=itemgetter(0))]


def _vector(numbers: JsonValue) -> list[float]:
    if isinstance(numbers, str):  # 32-bit numbers in base64, as OpenAI's package asks for
        numbers = [*memoryview(b64decode(numbers, validate=True)).cast("f")]
    if isinstance(numbers, list) and len(numbers) == 1 and isinstance(numbers[0], list):
        numbers = numbers[0]  # as llama.cpp has them
    if not isinstance(numbers, list) or len(numbers) > MAX_VECTOR_LENGTH:
        raise ValueError
    vector = [float(number) for number in numbers]
    # NaN, infinity and numbers that overflow would make all distances meaningless.
    if not all(-MAX_VECTOR_VALUE <= number <= MAX_VECTOR_VALUE for number in vector):
        raise ValueError
    return vector
