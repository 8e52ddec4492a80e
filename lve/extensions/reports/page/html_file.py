"""Writes the HTML page of one or several sessions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain, groupby
from operator import itemgetter
from typing import BinaryIO

from lve.extensions.reports.page.chunks import Chunks
from lve.extensions.reports.page.comparisons import page_comparisons
from lve.extensions.reports.page.html_shell import page_parts
from lve.extensions.reports.page.latency import Latencies
from lve.extensions.reports.page.summary import Errors, summary_of, title_of
from lve.sessions.instance_result import InstanceResult
from lve.verdicts.recorded_session import RecordedSession


def write_page(sessions: Sequence[RecordedSession], file: BinaryIO) -> None:
    """Write the page as one self-contained HTML file. Each result is read once.

    Args:
        sessions: the sessions of the page, at least one.
        file: where the page is written.

    Raises:
        SessionError: a session can't be read any more.
    """
    errors, latencies = Errors(), Latencies()
    with Chunks() as chunks:
        for number, session in enumerate(sessions):
            for result in _by_instance(session):
                chunks.add(number, result, session.tests[result.test, result.model])
                errors.add(result)
                latencies.add(chunks.models[result.model], result.latency_s)
        compared = page_comparisons(sessions)
        written = chain(
            chunks.written(),
            (("comparison", comparison.text) for comparison in compared if comparison.text),
        )
        summary = {
            **summary_of(sessions, chunks, errors, latencies),
            "comparisons": [comparison.heading() for comparison in compared],
        }
        for part in page_parts(title_of(sessions), summary, written):
            file.write(part.encode("utf-8", "replace"))


def _by_instance(session: RecordedSession) -> Iterator[InstanceResult]:
    """Yield results ordered by test, instance and model. The prompt is the same for all models, and
    is written only once if their results are in the same chunk."""
    for _, pairs in groupby(session.index.pairs, key=itemgetter(0)):
        yield from merge(*(session.results(pair) for pair in pairs), key=_place)


def _place(result: InstanceResult) -> tuple[str, int, int]:
    return result.source, result.line, result.repeat
