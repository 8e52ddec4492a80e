"""The headers of a response, which are decoded when they are asked for."""

from __future__ import annotations

import pytest

from lve.models.http.transport import Headers

RAW = {b"content-type": b"application/json", b"x-name": "\u00e9".encode("latin-1")}
TEXTS = {"content-type": "application/json", "x-name": "\u00e9"}


def test_headers_are_a_mapping_of_texts() -> None:
    headers = Headers(RAW)
    assert dict(headers) == dict(headers.items()) == TEXTS
    assert headers == TEXTS
    assert len(headers) == 2
    assert headers.get("x-name") == "\u00e9"
    assert headers.get("retry-after") is None
    assert "content-type" in headers
    with pytest.raises(KeyError):
        headers["retry-after"]
