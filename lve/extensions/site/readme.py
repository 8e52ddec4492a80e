"""Renders a test's README as safe HTML.

READMEs aren't trusted: HTML in them is shown as text, images are left out, and only links to the
web are kept.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from lve.errors import MissingExtraError
from lve.escape import keyless, visible
from lve.files.inside import is_missing, read_inside
from lve.named_tuples import NamedTuple
from lve.spec.spec import Spec

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

FILE = "README.md"
MAX_BYTES = 200_000
MAX_NESTING = 20
LEVELS = ("h1", "h2", "h3", "h4", "h5", "h6")
LOWER = 2
"""By how many levels headings are lowered, because the page has its own above them."""


class Readme(NamedTuple):
    """A README."""

    title: str = ""
    """Its first-level heading, if it begins with one; else empty."""
    html: str = ""
    """The rest as safe HTML."""
    text: str = ""
    """The whole Markdown text."""


def read_readme(spec: Spec, base: str | None) -> Readme:
    """Return the README of a test; an empty one if it has none that can be read.

    Args:
        spec: the test.
        base: web address of the test's folder, for links to files; None: no links to files.
    """
    try:
        content = read_inside(spec.folder, FILE, MAX_BYTES)
    except OSError as error:
        return Readme(text="" if is_missing(error) else f"{FILE} can't be read: {error.strerror}")
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    return rendered(keyless(text), base)  # before HTML spells a key's signs differently


def rendered(text: str, base: str | None) -> Readme:
    """Render Markdown.

    Raises:
        MissingExtraError: the package that reads Markdown isn't installed.
    """
    parser = _parser()
    tokens = parser.parse(text)
    title = ""
    if len(tokens) > 2 and tokens[0].tag == "h1":
        title = "".join(inline.content for inline in tokens[1].children or () if inline.content)
        tokens = tokens[3:]
    for token in tokens:
        if token.tag in LEVELS:
            token.tag = LEVELS[min(LEVELS.index(token.tag) + LOWER, 5)]
        if token.children:
            token.children = list(_safe_links(token.children, base))
    html: str = parser.renderer.render(tokens, parser.options, {})
    # Only now: invisible characters may come from character references in the Markdown.
    return Readme(title, visible(html), text)


@cache
def _parser() -> MarkdownIt:
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        message = "`lve site` needs markdown-it-py: pip install 'lve[site]'"
        raise MissingExtraError(message) from error
    options = {"html": False, "maxNesting": MAX_NESTING}
    return MarkdownIt("commonmark", options).enable("table").disable("image")


def _safe_links(tokens: list[Token], base: str | None) -> list[Token]:
    """Return the tokens of a line without links that don't lead to the web."""
    safe: list[Token] = []
    opened: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            address = _address(token.attrs.get("href"), base)
            opened.append(address is not None)
            token.attrs = {"href": address or "", "rel": "noopener noreferrer nofollow"}
            safe += [token] if address else []
        elif token.type == "link_close":
            safe += [token] if opened and opened.pop() else []
        else:
            safe.append(token)
    return safe


def _address(link: object, base: str | None) -> str | None:
    """Return the absolute address of a link; None if it doesn't lead to the web."""
    try:
        address = urljoin(base, str(link)) if base else str(link)
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return None
    return quote(address, safe=":/?#[]@!$&'()*+,;=%~")
