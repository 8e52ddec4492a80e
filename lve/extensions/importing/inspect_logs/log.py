"""Reads a log of Inspect: `.eval`, a zip archive, or `.json`. Nothing of it is unpacked into files,
and each entry is bounded before it is parsed."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError

from lve.child.answers import AnswerLimits, UnreadableAnswerError, parse_answer
from lve.errors import MissingExtraError, UsageError
from lve.files.inside import reason_of
from lve.json_types import JsonObject
from lve.workspace import display_path

MAX_SAMPLES = 200_000
ENTRY = AnswerLimits(64_000_000, values=2_000_000, levels=200)
"""Of a sample, which has all that happened in it."""
WHOLE = AnswerLimits(1_000_000_000, values=20_000_000, levels=200)
"""Of a log in JSON."""
MAX_BYTES = 4_000_000_000
"""Of all entries, unpacked."""
ZSTANDARD = 93
"""How later versions of Inspect compress; Python 3.14 is the first that can."""
MAX_WINDOW = 2**27
"""Bytes of memory that unpacking takes."""
LENGTHS_AT = 26
"""Where an entry's own header has the lengths of its name and of its extra field, which end it."""
_SAMPLE = re.compile(r"samples/[^/].*\.json")


class Log:
    """A log: its header, and its samples as they are read."""

    def __init__(self, path: Path) -> None:
        """Args:
        path: the file.

        Raises:
            UsageError: it can't be read, or is no log.
        """
        self._path, self._size = path, 0
        if not path.is_file():
            raise self._refused("is no file")
        try:
            if path.suffix == ".eval":
                with ZipFile(path) as archive:
                    entries = archive.infolist()
                    self._names = [each for each in entries if _SAMPLE.fullmatch(each.filename)]
                    header = {each.filename: each for each in entries}.get("header.json")
                    self.header = self._entry(archive, header) if header else {}
            else:
                if path.stat().st_size > WHOLE.max_bytes:
                    raise self._refused("is larger than 1 GB")
                self.header = self._parsed(path.read_bytes(), WHOLE)
        except (OSError, BadZipFile) as error:
            why = reason_of(error) if isinstance(error, OSError) else error
            raise self._refused(f"can't be read: {why}") from None
        if not isinstance(self.header.get("eval"), dict):
            raise self._refused("is no finished log of Inspect: it has no `eval`")

    def samples(self) -> Iterator[JsonObject]:
        """Yield the samples.

        Raises:
            UsageError: one can't be read, or there are too many.
        """
        if self._path.suffix != ".eval":
            written = self.header.get("samples")
            yield from (
                (each for each in written if isinstance(each, dict))
                if isinstance(written, list)
                else ()
            )
            return
        if len(self._names) > MAX_SAMPLES:
            raise self._refused(f"has more than {MAX_SAMPLES:,} samples")
        try:
            with ZipFile(self._path) as archive:
                for entry in self._names:
                    yield self._entry(archive, entry)
        except (OSError, BadZipFile) as error:
            raise self._refused(f"can't be read: {error}") from None

    def _entry(self, archive: ZipFile, entry: ZipInfo) -> JsonObject:
        """Return an entry. Its size is counted as it is unpacked: what the archive says of it may
        be wrong."""
        try:
            content = _unpacked(archive, entry, ENTRY.max_bytes + 1)
        except (ZlibError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            raise self._refused(f"has an entry that can't be unpacked: {error}") from None
        self._size += len(content)
        if len(content) > ENTRY.max_bytes or self._size > MAX_BYTES:
            raise self._refused("has too large an entry, or too much in all")
        return self._parsed(content, ENTRY)

    def _parsed(self, content: bytes, limits: AnswerLimits) -> JsonObject:
        try:
            value = parse_answer(content + b"\n", limits)
        except UnreadableAnswerError as error:
            raise self._refused(f"has JSON that can't be read: {error}") from None
        return value if isinstance(value, dict) else {}

    def _refused(self, why: str) -> UsageError:
        return UsageError(f"{display_path(self._path)} {why}", code="importer")


def _unpacked(archive: ZipFile, entry: ZipInfo, most: int) -> bytes:
    if entry.compress_type in (ZIP_STORED, ZIP_DEFLATED):
        with archive.open(entry) as file:
            return file.read(most)
    if entry.compress_type != ZSTANDARD:
        raise NotImplementedError(f"it is compressed by method {entry.compress_type}")
    try:
        from zstandard import ZstdDecompressor, ZstdError  # late: only logs need it
    except ImportError:
        raise MissingExtraError(
            "this log is compressed by Zstandard: `pip install 'lve[inspect]'`, or let Inspect "
            "write JSON: `inspect log convert LOG --to json --output-dir DIR`"
        ) from None
    try:
        unpack = ZstdDecompressor(max_window_size=MAX_WINDOW)
        with unpack.stream_reader(io.BytesIO(_packed(archive, entry, most))) as file:
            content: bytes = file.read(most)
            return content
    except ZstdError as error:
        raise ValueError(error) from None


def _packed(archive: ZipFile, entry: ZipInfo, most: int) -> bytes:
    """Return an entry as it is in the archive."""
    assert archive.filename is not None
    with Path(archive.filename).open("rb") as file:
        file.seek(entry.header_offset + LENGTHS_AT)
        lengths = file.read(4)
        if len(lengths) < 4:
            raise EOFError("it ends too early")
        file.seek(sum(struct.unpack("<HH", lengths)), 1)  # after its name and its extra field
        return file.read(min(entry.compress_size, most))


def texts_of(value: object) -> Mapping[str, Any]:
    """Return a value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}
