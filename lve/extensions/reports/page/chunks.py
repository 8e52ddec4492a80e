"""The results of a page in compressed chunks: the columns of its table, and the whole results."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from os import SEEK_END
from tempfile import TemporaryFile
from typing import IO, Any

from lve.documents.json_lines import fast_json_line
from lve.extensions.reports.page.details import Texts, detail_of, short
from lve.extensions.reports.page.inputs import Inputs
from lve.sessions.instance_result import InstanceResult
from lve.sessions.session_tests import SessionTest

COLUMN_ROWS = 4096
"""Results in a chunk of columns."""
DETAIL_ROWS = 1024
DETAIL_CHARACTERS = 400_000
"""A chunk of whole results ends after so many rows, or so many characters."""
CACHED, ADVISORY, REDACTED, AS_EXPECTED = 1, 2, 4, 8
LEVEL, QUICK_LEVEL = 6, 1
"""How well chunks are compressed: in a file that is kept, and where the next page is soon made."""
_LETTERED = ("verdict", "recorded")
_NAMES = ("session", "test", "model", "source", "line", "repeat", "flags", "kind", "score")
_MORE = ("latency_ms", "tokens_in", "tokens_out", "cost")
_LETTERS = {"passed": "p", "failed": "f", "error": "e", "inconclusive": "i", None: "-"}
MAX_INT32 = 2**31 - 1
"""The largest number in the page's columns. A forged result may have a larger one."""


class Numbers(dict[str, int]):
    """Numbers names from 0 in the order of their first use."""

    def of(self, name: str) -> int:
        """Return the number of a name; a new name gets the next one."""
        return self.setdefault(name, len(self))


class Chunks:
    """Collects results as chunks in temporary files, so that memory doesn't grow with them. A
    context manager."""

    def __init__(self, level: int = LEVEL) -> None:
        """
        Args:
            level: how well the chunks are compressed, 1 to 9.
        """
        self.rows = 0
        self.tests, self.models = Numbers(), Numbers()
        self.sources, self.kinds = Numbers(), Numbers()
        self.inputs = Inputs()
        self._level = level
        self._columns = _Spool(level)
        self._details = _Spool(level)
        self._last: list[list[Any]] = [[] for _ in (*_LETTERED, *_NAMES, *_MORE)]
        self._begin_details()

    def add(self, session: int, result: InstanceResult, test: SessionTest) -> None:
        """Add a result.

        Args:
            session: the number of its session.
            result: the result.
            test: its test, as recorded in the session.
        """
        self.add_columns(session, ((result, test),))
        self._rows.append(detail_of(result, test, self._texts))
        if len(self._rows) >= DETAIL_ROWS or self._texts.characters >= DETAIL_CHARACTERS:
            self._end_details()

    def add_columns(
        self, session: int, results: Sequence[tuple[InstanceResult, SessionTest]]
    ) -> None:
        """Add the columns of results without their texts.

        Args:
            session: the number of their session.
            results: each with its test. Many at once take half the time.
        """
        for column, values in zip(self._last, self._values(session, results), strict=True):
            column += values
        for result, test in results:
            self.inputs.add(result, test)
        self.rows += len(results)
        while (count := len(self._last[0])) >= COLUMN_ROWS:
            chunk = [column[:COLUMN_ROWS] for column in self._last]
            self._columns.write(_columns(self.rows - count, chunk))
            self._last = [column[COLUMN_ROWS:] for column in self._last]

    def _values(
        self, session: int, results: Sequence[tuple[InstanceResult, SessionTest]]
    ) -> tuple[Sequence[object], ...]:
        """Return each column's values of some results, in their order."""
        rows = [result for result, _ in results]
        tests, models, sources, kinds = self.tests, self.models, self.sources, self.kinds
        return (
            [_LETTERS[each.verdict] for each in rows],
            [_LETTERS[each.recorded] for each in rows],
            [session] * len(rows),
            [tests.setdefault(each.test, len(tests)) for each in rows],
            [models.setdefault(each.model, len(models)) for each in rows],
            [sources.setdefault(each.source, len(sources)) for each in rows],
            _bounded([each.line for each in rows]),
            _bounded([each.repeat for each in rows]),
            [_flags(result, test) for result, test in results],
            [0 if (kind := each.error_kind) is None else kinds.of(kind) + 1 for each in rows],
            [each.score for each in rows],
            [short(each.latency_s * 1000) for each in rows],
            [each.usage.prompt_tokens for each in rows],
            [each.usage.completion_tokens for each in rows],
            [each.cost for each in rows],
        )

    def columns(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the text of each chunk of columns."""
        yield from (("index", text) for text in self._columns.texts())
        if count := len(self._last[0]):
            yield "index", packed(_columns(self.rows - count, self._last), self._level)

    def written(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the text of each chunk. Add nothing after this."""
        self._end_details()
        return chain(self.columns(), (("details", text) for text in self._details.texts()))

    def _begin_details(self) -> None:
        self._rows: list[dict[str, object]] = []
        self._texts = Texts()

    def _end_details(self) -> None:
        if not self._rows:
            return
        first = self.rows - len(self._rows)
        self._details.write({"first": first, "texts": [*self._texts.texts], "rows": self._rows})
        self._begin_details()

    def __enter__(self) -> Chunks:
        return self

    def __exit__(self, *_: object) -> None:
        self._columns.close()
        self._details.close()


def _columns(first: int, values: Sequence[Sequence[Any]]) -> dict[str, object]:
    """Return a chunk of columns that begins with a row."""
    about = {"first": first, "count": len(values[0])}
    letters = {name: "".join(column) for name, column in zip(_LETTERED, values, strict=False)}
    return {**about, **letters, **dict(zip((*_NAMES, *_MORE), values[2:], strict=True))}


def _bounded(numbers: list[int]) -> list[int]:
    """Return numbers as the page's columns can hold them."""
    if max(numbers, default=0) <= MAX_INT32:  # nearly always
        return numbers
    return [min(number, MAX_INT32) for number in numbers]


def _flags(result: InstanceResult, test: SessionTest) -> int:
    flags = CACHED * result.cached + ADVISORY * result.advisory
    flags += REDACTED * (result.judged_by is not None)
    return flags + AS_EXPECTED * (result.verdict == test.expect.wanted)


def packed_details(first: int, results: Iterable[tuple[InstanceResult, SessionTest]]) -> str:
    """Return a chunk of whole results: at least one, and no more than their texts allow.

    Args:
        first: the number of the first one.
        results: the results, each with its test.
    """
    texts, rows = Texts(), list[dict[str, object]]()
    for result, test in results:
        rows.append(detail_of(result, test, texts))
        if texts.characters >= DETAIL_CHARACTERS:
            break
    return packed({"first": first, "texts": [*texts.texts], "rows": rows}, QUICK_LEVEL)


def packed(value: object, level: int = LEVEL) -> str:
    """Return a value in the form that the page reads: base64 of gzip of JSON."""
    compressed = gzip.compress(fast_json_line(value).encode("ascii"), level, mtime=0)
    return b64encode(compressed).decode("ascii")


class _Spool:
    """Chunks in an anonymous temporary file, one per line."""

    def __init__(self, level: int) -> None:
        self._level = level
        self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115 (closed by `close`)

    def write(self, value: object) -> None:
        self._file.seek(0, SEEK_END)
        self._file.write(packed(value, self._level).encode("ascii") + b"\n")

    def texts(self) -> Iterator[str]:
        self._file.seek(0)
        for line in self._file:
            yield line.rstrip(b"\n").decode("ascii")

    def close(self) -> None:
        self._file.close()
