"""What MkDocs does with pages that are written for GitHub's readers, too (see mkdocs.yml)."""

from __future__ import annotations

import re
from typing import Any

FENCE = re.compile(r"^( *```\w+) +(\S.*)$", re.MULTILINE)
OUTSIDE = re.compile(r"\]\(\.\./([^)\s]+)\)")


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """Return a page's text as the site needs it.

    The name of a file behind a fence is its title; links that leave docs/ lead to the repository.
    """
    markdown = FENCE.sub(r'\1 title="\2"', markdown)
    return OUTSIDE.sub(rf"]({config.repo_url}/blob/main/\1)", markdown)


def without_stars(output: str, **_: Any) -> str:
    """Return a page that doesn't ask GitHub for the number of stars: readers ask no strangers."""
    return output.replace(' data-md-component="source"', "")


on_post_page = on_post_template = without_stars  # 404.html is a template
