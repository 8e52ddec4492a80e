"""Bodies are decompressed as they arrive, within limits."""

from __future__ import annotations

import gzip
import random
import zlib

import pytest

from lve.errors import TransientModelError
from lve.models.http.connections import body as module
from lve.models.http.connections.body import BodyDecoder


def read(pieces: list[bytes], encoding: str | None = None, status: int = 200) -> bytes:
    decoder = BodyDecoder(status, encoding)
    found = b"".join(part for piece in pieces for part in decoder.feed(piece))
    decoder.end()
    return found


def one_by_one(data: bytes) -> list[bytes]:
    return [data[n : n + 1] for n in range(len(data))]


@pytest.mark.parametrize("encoding", [None, "", "identity", " Identity "])
def test_a_plain_body_is_passed_on(encoding: str | None) -> None:
    assert read([b"ab", b"", b"c"], encoding) == b"abc"


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b"hello" * 99)),
        ("X-GZIP", gzip.compress(b"hello" * 99)),
        ("deflate", zlib.compress(b"hello" * 99)),
    ],
)
def test_a_compressed_body_may_arrive_in_any_pieces(encoding: str, packed: bytes) -> None:
    assert read([packed], encoding) == b"hello" * 99
    assert read(one_by_one(packed), encoding) == b"hello" * 99


@pytest.mark.parametrize(
    ("encoding", "pieces", "message"),
    [
        ("br", [], "content-encoding 'br' was not asked for"),
        ("gzip, gzip", [], "was not asked for"),
        ("gzip", [b"no gzip"], "broken compression: Error"),
        ("gzip", [gzip.compress(b"x")[:-3]], "broken compression: cut short"),
        ("gzip", [], "broken compression: cut short"),
        ("gzip", [gzip.compress(b"x") + b"y"], "goes on after its end"),
        ("gzip", [gzip.compress(b"x"), b"y"], "goes on after its end"),
    ],
)
def test_what_is_broken_is_worth_another_try(
    encoding: str, pieces: list[bytes], message: str
) -> None:
    with pytest.raises(TransientModelError, match=message):
        read(pieces, encoding)


@pytest.mark.parametrize("encoding", [None, "gzip"])
def test_a_body_has_a_largest_size(encoding: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BODY_BYTES", 1000)
    for size, fits in ((1000, True), (1001, False)):
        data = bytes(range(256)) * 4
        packed = gzip.compress(data[:size]) if encoding else data[:size]
        if fits:
            assert read([packed], encoding) == data[:size]
        else:
            with pytest.raises(TransientModelError, match="more than 1000 bytes"):
                read([packed], encoding)


@pytest.mark.parametrize("encoding", [None, "gzip"])
def test_of_an_errors_body_the_beginning_is_enough(
    encoding: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ERROR_BYTES", 100)
    data = b"0123456789" * 50
    pieces = [gzip.compress(data)] if encoding else one_by_one(data)
    decoder = BodyDecoder(500, encoding)
    found = b"".join(part for piece in pieces[:150] for part in decoder.feed(piece))
    assert (found, decoder.is_full) == (data[:100], True)
    assert list(decoder.feed(b"anything")) == []
    decoder.end()


def test_a_large_compressed_error_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ERROR_BYTES", 100)
    packed = gzip.compress(random.Random(1).randbytes(1000))
    decoder = BodyDecoder(500, "gzip")
    for piece in (packed[:60], packed[60:], packed):
        list(decoder.feed(piece))
    decoder.end()
    assert decoder.is_full


def test_a_bomb_is_refused_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_UNCHECKED_BYTES", 1_000_000)
    with pytest.raises(TransientModelError, match="decompress to more than 200 times as much"):
        read([gzip.compress(bytes(3_000_000))], "gzip")
    assert len(read([gzip.compress(bytes(900_000))], "gzip")) == 900_000
