"""The versions of GitHub's actions in the workflows that lve writes and its documentation shows.

A new version is looked up (`git ls-remote --tags https://github.com/actions/checkout`) and written
here; a test then names the pages that show another one. The project's own workflows, in
`.github/workflows/`, have the same versions, pinned to commits.
"""

from __future__ import annotations

ACTIONS = {
    "checkout": "v7",
    "deploy-pages": "v5",
    "download-artifact": "v8",
    "setup-python": "v7",
    "upload-artifact": "v7",
    "upload-pages-artifact": "v5",
}
"""Action -> its version, as of November 2026."""


def action(name: str) -> str:
    """Return what `uses:` says of an action of GitHub's."""
    return f"actions/{name}@{ACTIONS[name]}"
