"""What lve knows of secrets, for the time of a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lve.secrets import redaction


@contextmanager
def knowing(*secrets: str) -> Iterator[redaction.Redactor]:
    """Let lve know these secrets, and forget those of other tests; give the redactor of all that it
    writes to files."""
    lasting = redaction._LastingRedactor()
    lasting.learn(frozenset(secrets))
    before = dict(vars(redaction.redact))
    vars(redaction.redact).update(vars(lasting))
    try:
        yield redaction.redact
    finally:
        vars(redaction.redact).update(before)
