"""The HTML document: one file that runs nothing but its own program.

The policy in its head allows the one program and the one style sheet whose sums it names, and a
worker that the program makes of itself; nothing is loaded from anywhere. Data stands in elements
that browsers don't run. What models wrote is data, and becomes text on the page, never markup:
browsers that know trusted types refuse anything else.
"""

from __future__ import annotations

import html
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.resources import files
from typing import Any

from lve.documents.json_lines import json_line


def page_parts(
    title: str, summary: Any, chunks: Iterable[tuple[str, str]], live: Any = None
) -> Iterator[str]:
    """Yield the document in parts.

    Args:
        title: of the page.
        summary: what is painted first, as JSON.
        chunks: kind and base64 text of what is loaded after that.
        live: for a page that asks its server for news, as JSON; None: it asks nobody.
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


def _live(live: Any) -> str:
    if live is None:
        return ""
    return f'<script type="application/json" id="live">{embedded(live)}</script>\n'


def policy(script: str, style: str, *, asks: bool = False) -> str:
    """Return the Content-Security-Policy of a page with one script and one style sheet.

    Args:
        script: its program.
        style: its style sheet.
        asks: whether it may ask the server that it came from.
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
    """Return one of the files that are built from web/."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def embedded(value: Any) -> str:
    """Return JSON that can't end the element in which it stands."""
    return json_line(value).replace("<", "\\u003c")


def _sum(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
