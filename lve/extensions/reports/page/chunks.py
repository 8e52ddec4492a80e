"""The results of a page in compressed chunks: the columns of its table, and the whole results."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Iterable, Iterator
from itertools import chain
from os import SEEK_END
from tempfile import TemporaryFile
from typing import IO

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
        self._begin_columns()
        self._begin_details()

    def add(self, session: int, result: InstanceResult, test: SessionTest) -> None:
        """Add a result.

        Args:
            session: the number of its session.
            result: the result.
            test: its test, as recorded in the session.
        """
        self.add_columns(session, result, test)
        self._rows.append(detail_of(result, test, self._texts))
        if len(self._rows) >= DETAIL_ROWS or self._texts.characters >= DETAIL_CHARACTERS:
            self._end_details()

    def add_columns(self, session: int, result: InstanceResult, test: SessionTest) -> None:
        """Add the columns of a result without its texts. The arguments are as in `add`."""
        tests, models, sources, kind = self.tests, self.models, self.sources, result.error_kind
        self._columns_rows.append(
            (
                _LETTERS[result.verdict],
                _LETTERS[result.recorded],
                session,
                tests.setdefault(result.test, len(tests)),
                models.setdefault(result.model, len(models)),
                sources.setdefault(result.source, len(sources)),
                min(result.line, MAX_INT32),
                min(result.repeat, MAX_INT32),
                _flags(result, test),
                0 if kind is None else self.kinds.of(kind) + 1,
                result.score,
                short(result.latency_s * 1000),
                result.usage.prompt_tokens,
                result.usage.completion_tokens,
                result.cost,
            )
        )
        self.inputs.add(result, test)
        self.rows += 1
        if len(self._columns_rows) == COLUMN_ROWS:
            self._columns.write(self._columns_so_far())
            self._begin_columns()

    def columns(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the text of each chunk of columns."""
        yield from (("index", text) for text in self._columns.texts())
        if self._columns_rows:
            yield "index", packed(self._columns_so_far(), self._level)

    def written(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the text of each chunk. Add nothing after this."""
        self._end_details()
        return chain(self.columns(), (("details", text) for text in self._details.texts()))

    def _begin_columns(self) -> None:
        self._columns_rows: list[tuple[object, ...]] = []

    def _columns_so_far(self) -> dict[str, object]:
        verdicts, recorded, *values = zip(*self._columns_rows, strict=True)
        count = len(verdicts)
        about = {"first": self.rows - count, "count": count}
        letters = {"verdict": "".join(verdicts), "recorded": "".join(recorded)}
        return {**about, **letters, **dict(zip((*_NAMES, *_MORE), values, strict=True))}

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
