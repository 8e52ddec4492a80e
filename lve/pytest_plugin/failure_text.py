"""A failure as pytest wants it: a text for the report, a line for the summary.

The classes are pytest's own (not documented, there in 8.2 to 9.x): only these survive the way from
an xdist worker with the line for the summary.
"""

from __future__ import annotations

from _pytest._code.code import (
    ReprEntryNative,
    ReprExceptionInfo,
    ReprFileLocation,
    ReprTraceback,
)

from lve.escape import escape, escape_line
from lve.redaction import own_redactor
from lve.spec.model import Spec


def failure(spec: Spec, reason: str, text: str) -> ReprExceptionInfo:
    """Return what pytest shows of a failed item, without the secrets of this process.

    Args:
        spec: the test; the place of its checker is the place of the failure.
        reason: for the summary; its first line is shown.
        text: for the report.
    """
    redact = own_redactor()
    reason, text = redact(reason), redact(text)
    place = spec.checkers[0].position if spec.checkers else None
    line = place.line if place and place.line else 1
    file, first = escape_line(str(spec.file)), escape_line(reason.partition("\n")[0])
    crash = ReprFileLocation(file, line, first)
    entries = [ReprEntryNative([escape(text), "\n"])]
    trace = ReprTraceback(entries, extraline=None, style="native")
    return ReprExceptionInfo(reprtraceback=trace, reprcrash=crash)
