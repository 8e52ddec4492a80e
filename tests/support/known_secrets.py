"""What lve knows of secrets, for the time of a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lve import redaction


@contextmanager
def knowing(*secrets: str) -> Iterator[redaction.Redactor]:
    """Let lve know these secrets, and forget those of other tests; give the redactor of all that it
    writes to files."""
    lasting = redaction._LastingRedactor()
    lasting.learn(frozenset(secrets))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redaction, "_lasting", lasting)
        yield lasting
