"""Detects the media type of a file by its first bytes. Its name can't be trusted."""

from __future__ import annotations

HEAD_BYTES = 16
"""Number of bytes that `media_type` needs."""
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"ID3", "audio/mpeg"),
    (b"%PDF-", "application/pdf"),
)
_IN_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}


def media_type(head: bytes) -> str | None:
    """Return the media type of an image, sound or PDF; None for anything else, including texts.

    Args:
        head: the first `HEAD_BYTES` bytes of the file, or more.
    """
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if head[:4] == b"RIFF":
        return _IN_RIFF.get(head[8:12])
    return "audio/mpeg" if _is_mpeg_frame(head) else None


def _is_mpeg_frame(head: bytes) -> bool:
    """Return whether a file begins with a frame of MPEG audio, layer III: an MP3 without a tag."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:
        return False
    version, bitrate, frequency = head[1] >> 3 & 3, head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and bitrate not in (0, 15) and frequency != 3  # 1, 15 and 3: reserved
