"""Title and text of a branch's pull request."""

from __future__ import annotations

from collections.abc import Sequence

from lve.contributing.changes import ChangedTest
from lve.contributing.description import describe_test
from lve.spec.model import Spec
from lve.verdicts.wording import amount

VERBS = {"new": "Add", "updated": "Update", "deleted": "Remove"}


def pull_request_title(changes: Sequence[ChangedTest]) -> str:
    """Return a title for a commit or pull request: `Add test courtesy/greeting`."""
    verbs = list(dict.fromkeys(VERBS[change.kind] for change in changes))
    verb = verbs[0] if len(verbs) == 1 else "Change"
    if len(changes) > 1:
        return f"{verb} {amount(len(changes), 'test')}"
    return f"{verb} test {changes[0].folder.removeprefix('repository/')}"


def pull_request_body(changes: Sequence[ChangedTest], specs: Sequence[Spec]) -> str:
    """Return the text of a pull request.

    Args:
        changes: the branch's changed tests.
        specs: those that still exist.
    """
    gone = [f"`{change.folder}` is removed." for change in changes if change.kind == "deleted"]
    parts = [f"## {spec.name}\n\n{describe_test(spec)}" for spec in specs]
    checks = "`lve check --contribute` finds nothing wrong." if specs else ""
    return "\n\n".join([*parts, *gone, *([checks] if checks else [])]) + "\n"
