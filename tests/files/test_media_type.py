"""Media types of files by their first bytes."""

from __future__ import annotations

import pytest

from lve.prompts.attachments import HEAD_BYTES, media_type


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"\x89PNG\r\n\x1a\n0000", "image/png"),
        (b"\xff\xd8\xff\xe0..JFIF", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", "audio/wav"),
        (b"ID3\x04\x00", "audio/mpeg"),
        (b"\xff\xfb\x90\x64", "audio/mpeg"),  # MPEG 1, layer III, 128 kbit/s, 44.1 kHz
        (b"\xff\xf3\x40\xc4", "audio/mpeg"),  # MPEG 2
        (b"%PDF-1.7\n", "application/pdf"),
        (b"", None),
        (b"hello", None),
        (b"RIFF\x10\x00\x00\x00AVI LIST", None),
        (b"\x89PNG\n\x1a\n", None),  # a line end was converted: broken
        (b"\xff\xfe\x90\x64", None),  # layer I, or UTF-16
        (b"\xff\xfb\xf0\x64", None),  # a reserved bit rate
        (b"\xff\xfb\x9c\x64", None),  # a reserved frequency
        (b"\xff\xeb\x90\x64", None),  # a reserved version
        (b"\xff\xfb", None),
    ],
)
def test_a_file_is_what_it_begins_with(head: bytes, expected: str | None) -> None:
    assert media_type(head[:HEAD_BYTES]) == expected
