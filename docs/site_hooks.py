"""MkDocs hooks, because the pages are also written for GitHub (see mkdocs.yml)."""

from __future__ import annotations

import re
from typing import Any

FENCE = re.compile(r"^( *```\w+) +(\S.*)$", re.MULTILINE)
OUTSIDE = re.compile(r"\]\(\.\./([^)\s]+)\)")
LAST = {"messages.md": 0.01, "changelog.md": 0.01, "error-kinds.md": 0.1, "rooms.md": 0.1}
"""Page -> its weight in the search, beside 1 of others: these pages name everything."""


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Adapt a page's Markdown to the site.

    The file name after a code fence becomes the block's title. Links out of docs/ lead to GitHub.
    """
    if (boost := LAST.get(page.file.src_uri)) is not None:
        page.meta["search"] = {"boost": boost}
    markdown = FENCE.sub(r'\1 title="\2"', markdown)
    return OUTSIDE.sub(rf"]({config.repo_url}/blob/main/\1)", markdown)


def without_stars(output: str, **_: Any) -> str:
    """Return a page without the script that requests the number of stars from GitHub."""
    return output.replace(' data-md-component="source"', "")


on_post_page = on_post_template = without_stars  # 404.html is a template
