"""Tells what a file is by how it begins. Its name may say anything."""

from __future__ import annotations

HEAD_BYTES = 16
"""How much of a file's beginning `media_type` needs."""
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
    """Return the media type of an image, sound or PDF that begins like this; None of anything else,
    texts included.

    Args:
        head: its first `HEAD_BYTES` bytes, or more.
    """
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if head[:4] == b"RIFF":
        return _IN_RIFF.get(head[8:12])
    return "audio/mpeg" if _is_mpeg_frame(head) else None


def _is_mpeg_frame(head: bytes) -> bool:
    """Whether this is the header of a frame of MPEG audio, layer III: an MP3 without a tag."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:
        return False
    version, bitrate, frequency = head[1] >> 3 & 3, head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and bitrate not in (0, 15) and frequency != 3  # 1, 15 and 3: reserved
