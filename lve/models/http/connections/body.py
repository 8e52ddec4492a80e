"""Decompresses the body of a response as it arrives, within limits on its size."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from lve.errors import TransientModelError
from lve.models.http.failures import malformed, printable

MAX_BODY_BYTES = 32 * 1024 * 1024
"""Maximum size of a body, compressed or decompressed. A larger one is an error."""
MAX_ERROR_BYTES = 256 * 1024
"""Maximum size of an error response that is read. The rest is ignored: the status matters most."""
_UNCHECKED_BYTES = 4 * 1024 * 1024
"""Size up to which any compression ratio is accepted."""
_MAX_RATIO = 200
"""Maximum compression ratio: JSON has about 5, one word repeated 500, a bomb 1000."""
_SLICE_BYTES = 64 * 1024
"""Number of bytes that are decompressed at once."""
_ZLIB_OR_GZIP = zlib.MAX_WBITS | 32


class BodyDecoder:
    """Decompresses one body and limits its size. Both transports read their bodies through it."""

    __slots__ = ("_arrived", "_inflater", "_max_bytes", "_size", "_truncates", "is_full")

    def __init__(self, status: int, encoding: str | None) -> None:
        """Args:
        status: the response's status.
        encoding: the response's Content-Encoding.

        Raises:
            TransientModelError: the encoding isn't supported.
        """
        self.is_full = False
        """Whether the limit of an error response is reached, so that the rest is ignored."""
        self._truncates = not 200 <= status < 300
        self._max_bytes = MAX_ERROR_BYTES if self._truncates else MAX_BODY_BYTES
        self._arrived = 0
        self._size = 0
        self._inflater: Any = _inflater(encoding) if encoding else None

    def feed(self, data: bytes) -> Iterable[bytes]:
        """Return the next bytes of the body in decompressed pieces.

        Raises:
            TransientModelError: the body is too large, or its compression is broken or suspicious.
        """
        if self.is_full:
            return ()
        if self._inflater is None:
            return (self._counted(data),)
        self._arrived += len(data)
        if self._arrived > self._max_bytes:
            if not self._truncates:
                raise too_large(self._max_bytes)
            self.is_full = True
            return ()
        return self._inflated(data)

    def end(self) -> None:
        """Check at the end that the body is complete.

        Raises:
            TransientModelError: the compressed body is truncated.
        """
        if self._inflater is not None and not self._inflater.eof and not self.is_full:
            raise malformed("broken compression: cut short")

    def _inflated(self, data: bytes) -> Iterator[bytes]:
        inflater, is_more = self._inflater, True
        while (data or is_more) and not self.is_full:
            if inflater.eof and data:
                raise malformed("broken compression: it goes on after its end")
            try:
                piece = inflater.decompress(data, _SLICE_BYTES)
            except zlib.error as error:
                raise malformed(f"broken compression: {error}") from None
            # After a full slice, the decompressor may hold more even without further input.
            is_more = len(piece) == _SLICE_BYTES
            data = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            yield self._counted(piece)
            self._refuse_bomb()

    def _refuse_bomb(self) -> None:
        """Refuse a decompression bomb: a small body that takes long to decompress."""
        if self._size > max(_UNCHECKED_BYTES, self._arrived * _MAX_RATIO) and not self._truncates:
            raise malformed(
                f"{self._arrived} bytes that decompress to more than {_MAX_RATIO} times as much"
            )

    def _counted(self, piece: bytes) -> bytes:
        self._size += len(piece)
        if self._size <= self._max_bytes:
            return piece
        if not self._truncates:
            raise too_large(self._max_bytes)
        self.is_full = True
        return piece[: len(piece) - (self._size - self._max_bytes)]


def too_large(max_bytes: int) -> TransientModelError:
    """Return the error for a body of more than `max_bytes`."""
    return malformed(f"more than {max_bytes} bytes")


def _inflater(encoding: str) -> Any:  # zlib has no public name for the type
    name = encoding.strip().lower()
    if name in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(_ZLIB_OR_GZIP)
    if name != "identity":
        raise malformed(f"content-encoding {printable(name)!r} was not asked for")
    return None
