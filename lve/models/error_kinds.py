"""Kinds of errors that several rooms compare with. docs/error-kinds.md describes all kinds."""

from __future__ import annotations

UNREACHABLE = "unreachable"
"""Kind of a `ModelError`: there is no such server, or it accepts no connections."""
UNANSWERED_KINDS = frozenset({"connection", "malformed", UNREACHABLE})
"""Kinds of `ModelError` after which nobody knows whether the address is right."""
CHECKER_ERROR = "checker"
"""Kind of an error in a result: a checker couldn't judge the answer."""
STALE_RECORDING = "stale_recording"
"""Kind of an error in a result: the recorded answer is for a prompt that has changed since."""
NOT_RECORDED = "not_recorded"
"""Kind of an error: answers are replayed, and this one isn't recorded."""
NOT_ASKED = "not_asked"
"""Kind of a `ModelError`: the request wasn't sent, because earlier ones failed in a way that any
other would, too."""
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
"""Kinds of `ModelError` that don't depend on the request: any other would fail, too."""
