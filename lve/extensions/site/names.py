"""Paths of pages in a site."""

from __future__ import annotations

import re
from hashlib import sha256

from lve.escape import keyless

HOME = "index.html"
FOLDER = "tests"
MAX_LENGTH = 200
"""The most characters of a page's path, because some hosts and systems allow no longer ones."""
DIGEST = 16
# No capitals, because some file systems ignore case. No dots, because a folder `a.html` would have
# the path of the page of a test `a`.
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]*")


def page_path(test: str) -> str:
    """Return the path of a test's page in the site: `tests/privacy/names.html`.

    It depends only on the test's path, so that links stay valid. A name that isn't portable is
    replaced by its letters and a hash, a path with a key by a hash alone.

    Args:
        test: `Spec.path`.
    """
    path = "/".join(map(_step, test.split("/")))
    if len(path) > MAX_LENGTH or keyless(test) != test:
        path = f"_/{_sum(test)}"
    return f"{FOLDER}/{path}.html"


def path_to_root(page: str) -> str:
    """Return the relative path from a page to the site's root: `../` for `tests/a.html`."""
    return "../" * page.count("/")


def _step(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    letters = re.sub(r"[^a-z0-9_-]+", "-", name.lower())[:40].strip("-_")
    return f"_{letters}-{_sum(name)}"


def _sum(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST]
