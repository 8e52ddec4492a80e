"""The results of a page, in compressed chunks: columns for its table, then whole results."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Iterator
from itertools import chain
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Any

from lve.documents.json_lines import json_line
from lve.reporting.page.details import Texts, detail_of, short
from lve.results.records import InstanceResult
from lve.results.session_tests import SessionTest

COLUMN_ROWS = 4096
"""Results in a chunk of columns."""
DETAIL_ROWS = 1024
DETAIL_CHARACTERS = 400_000
"""A chunk of whole results ends when it has so many of either."""
CACHED, ADVISORY, REDACTED, AS_EXPECTED = 1, 2, 4, 8
_LEVEL = 6
_NAMES = ("session", "test", "model", "source", "line", "repeat", "flags", "kind", "score")
_MORE = ("latency_ms", "tokens_in", "tokens_out", "cost")
_LETTERS = {"passed": "p", "failed": "f", "error": "e", "inconclusive": "i", None: "-"}
MOST = 2**31 - 1
"""Largest number of the page's columns; a forged line may have a larger one."""


class Numbers(dict[str, int]):
    """Names and their numbers, in the order in which they came."""

    def of(self, name: str) -> int:
        """Return the number of a name."""
        return self.setdefault(name, len(self))


class Chunks:
    """Results, written to temporary files as chunks; memory doesn't grow with them. A context
    manager."""

    def __init__(self) -> None:
        self.rows = 0
        self.tests, self.models = Numbers(), Numbers()
        self.sources, self.kinds = Numbers(), Numbers()
        self._columns = _Spool()
        self._details = _Spool()
        self._begin_columns()
        self._begin_details()

    def add(self, session: int, result: InstanceResult, test: SessionTest) -> None:
        """Add a result.

        Args:
            session: its number.
            result: of an instance.
            test: as the session knew it.
        """
        self._add_columns(session, result, test)
        self._rows.append(detail_of(result, test, self._texts))
        self.rows += 1
        if self.rows % COLUMN_ROWS == 0:
            self._end_columns()
        if len(self._rows) >= DETAIL_ROWS or self._texts.characters >= DETAIL_CHARACTERS:
            self._end_details()

    def _add_columns(self, session: int, result: InstanceResult, test: SessionTest) -> None:
        kind = result.error_kind
        values = (
            session,
            self.tests.of(result.test),
            self.models.of(result.model),
            self.sources.of(result.source),
            min(result.line, MOST),
            min(result.repeat, MOST),
            _flags(result, test),
            0 if kind is None else self.kinds.of(kind) + 1,
            result.score,
            short(result.latency_s * 1000),
            result.usage.prompt_tokens,
            result.usage.completion_tokens,
            result.cost,
        )
        for column, value in zip(self._values, values, strict=True):
            column.append(value)
        self._verdicts.append(_LETTERS[result.verdict])
        self._recorded.append(_LETTERS[result.recorded])

    def written(self) -> Iterator[tuple[str, str]]:
        """Yield kind and text of all chunks. Nothing can be added any more."""
        self._end_columns()
        self._end_details()
        return chain(
            (("index", text) for text in self._columns.texts()),
            (("details", text) for text in self._details.texts()),
        )

    def _begin_columns(self) -> None:
        self._values: list[list[Any]] = [[] for _ in (*_NAMES, *_MORE)]
        self._verdicts: list[str] = []
        self._recorded: list[str] = []

    def _end_columns(self) -> None:
        count = len(self._verdicts)
        if not count:
            return
        columns = dict(zip((*_NAMES, *_MORE), self._values, strict=True))
        about = {"first": self.rows - count, "count": count}
        letters = {"verdict": "".join(self._verdicts), "recorded": "".join(self._recorded)}
        self._columns.write({**about, **letters, **columns})
        self._begin_columns()

    def _begin_details(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self._texts = Texts()

    def _end_details(self) -> None:
        if not self._rows:
            return
        first = self.rows - len(self._rows)
        self._details.write({"first": first, "texts": [*self._texts.texts], "rows": self._rows})
        self._begin_details()

    def __enter__(self) -> Chunks:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._columns.close()
        self._details.close()


def _flags(result: InstanceResult, test: SessionTest) -> int:
    flags = CACHED * result.cached + ADVISORY * result.advisory
    flags += REDACTED * (result.judged_by is not None)
    return flags + AS_EXPECTED * (result.verdict == test.expect.wanted)


def packed(value: Any) -> str:
    """Return a value as the page reads it: base64 of gzip of JSON."""
    compressed = gzip.compress(json_line(value).encode("ascii"), _LEVEL, mtime=0)
    return b64encode(compressed).decode("ascii")


class _Spool:
    """Chunks in a temporary file that nobody else sees, one per line."""

    def __init__(self) -> None:
        self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115 (closed by `close`)

    def write(self, value: Any) -> None:
        self._file.write(packed(value).encode("ascii") + b"\n")

    def texts(self) -> Iterator[str]:
        self._file.seek(0)
        for line in self._file:
            yield line.rstrip(b"\n").decode("ascii")

    def close(self) -> None:
        self._file.close()
