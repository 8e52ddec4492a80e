"""Names the place of what is wrong with an instance."""

from __future__ import annotations

from lve.conventions import DOCUMENT_NAMES
from lve.errors import Problem, Severity
from lve.spec.model import Instance, Spec
from lve.workspace import display_path


def row_problem(
    spec: Spec,
    instance: Instance,
    message: str,
    *,
    path: str | None = None,
    hint: str | None = None,
    severity: Severity = "error",
) -> Problem:
    """Return a problem of an instance: with its line, or with its number among the rows that the
    test document itself has."""
    file, line = display_path(spec.folder / instance.source), instance.line
    if instance.source in DOCUMENT_NAMES:
        return Problem(f"row {line}: {message}", file, None, None, path, hint, severity)
    return Problem(message, file, line, None, path, hint, severity)
