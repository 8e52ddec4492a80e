"""Problems of a test's tools, with their place in its document."""

from __future__ import annotations

from lve.documents.places import JsonPath
from lve.documents.read import DocumentPosition
from lve.errors import Problem
from lve.spec.model import Spec


def problem_at(
    spec: Spec, message: str, path: JsonPath, hint: str | None = None, *, code: str
) -> Problem:
    """Return a problem of a value in a test's document."""
    return DocumentPosition(spec.file, path).problem(message, hint, code=code)
