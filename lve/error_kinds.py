"""The kinds of a `ModelError` that several rooms ask for. A kind is a code: docs/messages.md."""

from __future__ import annotations

UNREACHABLE = "unreachable"
"""Kind of a `ModelError`: there is no such server, or it accepts no connections."""
CHECKER_ERROR = "checker"
"""Kind of an error: there is an answer, and a checker couldn't judge it."""
NOT_ASKED = "not_asked"
"""Kind of a `ModelError`: requests before this one failed in a way that holds for all."""
MODEL_WIDE_KINDS = frozenset(
    {
        "authentication",
        "not_found",
        "permission",
        "protocol",
        "quota",
        "redirect",
        "tls",
        UNREACHABLE,
    }
)
"""Kinds of `ModelError` that say nothing about the request: any other would fail, too."""
