"""The HTML page of sessions: one file that runs only its own script and loads nothing."""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from heapq import merge
from importlib.resources import files
from itertools import chain, groupby
from operator import itemgetter
from typing import BinaryIO

from lve.documents.json_lines import json_line
from lve.extensions.reports.page.chunks import Chunks
from lve.extensions.reports.page.comparisons import page_comparisons
from lve.extensions.reports.page.latency import Latencies
from lve.extensions.reports.page.summary import Errors, summary_of, title_of
from lve.sessions.instance_result import InstanceResult
from lve.verdicts.recorded_session import RecordedSession


def page_parts(
    title: str, summary: object, chunks: Iterable[tuple[str, str]], live: object = None
) -> Iterator[str]:
    """Yield the document in parts.

    Args:
        title: the title of the page.
        summary: JSON values that the page shows first.
        chunks: kind and base64 text of the data that it reads after that.
        live: JSON values for a page that polls its server for new results; None: it doesn't poll.
    """
    script, style = asset("report.js"), asset("report.css")
    allowed = policy(script, style, asks=live is not None)
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{allowed}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<div id="page"><noscript>This report is drawn by JavaScript, which is switched off here. '
        "The same results as a table: lve report -o results.csv</noscript></div>\n"
        f'<script type="application/json" id="summary">{embedded(summary)}</script>\n'
        f"{_live(live)}"
        f"<script>{script}</script>\n"
    )
    for kind, text in chunks:
        yield f'<script type="text/plain" data-chunk="{kind}">{text}</script>\n'
    yield "</body>\n</html>\n"


def _live(live: object) -> str:
    if live is None:
        return ""
    return f'<script type="application/json" id="live">{embedded(live)}</script>\n'


def policy(script: str, style: str, *, asks: bool = False) -> str:
    """Return the Content-Security-Policy of a page with one script and one style sheet.

    Args:
        script: the script.
        style: the style sheet.
        asks: whether the page may send requests to its own server.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_sum(script)}'",
            f"style-src '{_sum(style)}'",
            "worker-src blob:",
            *(["connect-src 'self'"] if asks else []),
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types lve-worker",
        )
    )


def asset(name: str) -> str:
    """Return the text of a file that is built from web/."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def embedded(value: object) -> str:
    """Return a value as JSON for a `script` element, which can't contain `</script>`."""
    return json_line(value).replace("<", "\\u003c")


def _sum(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


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
