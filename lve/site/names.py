"""Where the page of a test lies in the site."""

from __future__ import annotations

import re
from hashlib import sha256

HOME = "index.html"
FOLDER = "tests"
MAX_LENGTH = 200
"""Characters of a page's path; some hosts and systems take no longer ones."""
DIGEST = 16
# Small letters only, because some systems don't tell them from capitals. No dots: a folder `a.html`
# would be in the place of the page of a test `a`.
_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]*")


def page_path(test: str) -> str:
    """Return the path of a test's page in the site.

    It depends on the test's path alone, so that links to it stay valid. A name that not every
    system can have is replaced by its letters and a sum that tells it from others.

    Args:
        test: `Spec.path`.
    """
    path = "/".join(map(_step, test.split("/")))
    if len(path) > MAX_LENGTH:
        path = f"_/{_sum(test)}"
    return f"{FOLDER}/{path}.html"


def path_to_root(page: str) -> str:
    """Return what leads from a page to the site's root: `../` for `tests/a.html`."""
    return "../" * page.count("/")


def _step(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    letters = re.sub(r"[^a-z0-9_-]+", "-", name.lower())[:40].strip("-_")
    return f"_{letters}-{_sum(name)}"


def _sum(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST]
