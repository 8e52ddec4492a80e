"""Decompresses the body of a response as it arrives, and limits its size."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from lve.models.http.failures import malformed, printable

LARGEST_BODY = 32 * 1024 * 1024
"""Most bytes of one body, compressed and decompressed; a server that sends more is cut off."""
LARGEST_ERROR = 256 * 1024
"""Most bytes of an error response that are read. The rest is ignored: its status matters most."""
_UNSUSPICIOUS = 4 * 1024 * 1024
"""Bytes that may be decompressed whatever the ratio."""
_MOST_TO_ONE = 200
"""Highest ratio of compression: JSON has about 5, one word repeated 500, a bomb 1000."""
_SLICE = 64 * 1024
"""Bytes that are decompressed at once."""
_ZLIB_OR_GZIP = zlib.MAX_WBITS | 32


class BodyDecoder:
    """Decompresses one body and counts it. Both transports read their bodies through it."""

    __slots__ = ("_arrived", "_cuts", "_inflater", "_largest", "_size", "is_full")

    def __init__(self, status: int, encoding: str | None) -> None:
        """Args:
        status: status of the response.
        encoding: its Content-Encoding.

        Raises:
            TransientModelError: the encoding isn't supported.
        """
        self.is_full = False
        """Whether the rest of an error's body is ignored."""
        self._largest = LARGEST_BODY if 200 <= status < 300 else LARGEST_ERROR
        self._cuts = not 200 <= status < 300
        self._arrived = 0
        self._size = 0
        self._inflater = _inflater(encoding)

    def feed(self, data: bytes) -> Iterable[bytes]:
        """Return the next bytes of the body, decompressed, in pieces.

        Raises:
            TransientModelError: the body is too large, or its compression is broken or suspicious.
        """
        if self.is_full:
            return ()
        if self._inflater is None:
            return (self._counted(data),)
        self._arrived += len(data)
        if self._arrived > self._largest:
            if not self._cuts:
                raise too_large(self._largest)
            self.is_full = True
            return ()
        return self._inflated(data)

    def end(self) -> None:
        """Check at the end of the body that it is complete.

        Raises:
            TransientModelError: its compressed form is cut short.
        """
        if self._inflater is not None and not self._inflater.eof and not self.is_full:
            raise malformed("broken compression: cut short")

    def _inflated(self, data: bytes) -> Iterator[bytes]:
        inflater, is_more = self._inflater, True
        while (data or is_more) and not self.is_full:
            if inflater.eof and data:
                raise malformed("broken compression: it goes on after its end")
            try:
                piece = inflater.decompress(data, _SLICE)
            except zlib.error as error:
                raise malformed(f"broken compression: {error}") from None
            # After a full slice, the decompressor may hold more even without further input.
            is_more = len(piece) == _SLICE
            data = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            yield self._counted(piece)
            self._refuse_bomb()

    def _refuse_bomb(self) -> None:
        """Refuse a decompression bomb: little to send, and much time to decompress."""
        if self._size > max(_UNSUSPICIOUS, self._arrived * _MOST_TO_ONE) and not self._cuts:
            raise malformed(
                f"{self._arrived} bytes that decompress to more than {_MOST_TO_ONE} times as much"
            )

    def _counted(self, piece: bytes) -> bytes:
        self._size += len(piece)
        if self._size <= self._largest:
            return piece
        if not self._cuts:
            raise too_large(self._largest)
        self.is_full = True
        return piece[: len(piece) - (self._size - self._largest)]


def too_large(bytes_: int) -> Exception:
    """Return the error of a body with more than so many bytes."""
    return malformed(f"more than {bytes_} bytes")


def _inflater(encoding: str | None) -> Any:  # zlib has no public name for the type
    if not encoding:
        return None
    name = encoding.strip().lower()
    if name in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(_ZLIB_OR_GZIP)
    if name != "identity":
        raise malformed(f"content-encoding {printable(name)!r} was not asked for")
    return None
