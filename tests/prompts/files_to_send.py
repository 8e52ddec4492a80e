"""Small files of all kinds that can go with a message."""

from __future__ import annotations

import struct
import wave
import zlib
from io import BytesIO
from pathlib import Path


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(red: int = 255) -> bytes:
    """Return an image of one pixel."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes([0, red, 0, 0]))
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", pixels)
        + _chunk(b"IEND", b"")
    )


def wav() -> bytes:
    """Return eight samples of silence."""
    file = BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 1, 8000, 8, "NONE", "not compressed"))
        sound.writeframes(b"\x80" * 8)
    return file.getvalue()


MP3 = b"\xff\xfb\x90\x64" + bytes(413)
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
TEXT = "Größe: 3\n"


def write_files(folder: Path) -> None:
    """Write one file of each kind."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "red.png").write_bytes(png())
    (folder / "x.wav").write_bytes(wav())
    (folder / "x.mp3").write_bytes(MP3)
    (folder / "a.pdf").write_bytes(PDF)
    (folder / "a.txt").write_text(TEXT, "utf-8")
