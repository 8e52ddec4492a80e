"""The versions of GitHub's actions, for the workflows that lve writes and its documentation shows.

To update a version, look it up (`git ls-remote --tags https://github.com/actions/checkout`) and
write it here; a test then lists the pages that show another one. The project's own workflows in
`.github/workflows/` use the same versions, pinned to commits.
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
    """Return the value of `uses:` for an action, such as `actions/checkout@v7`."""
    return f"actions/{name}@{ACTIONS[name]}"
