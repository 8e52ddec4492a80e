"""Tells whether the checkers of a test are what they were."""

from __future__ import annotations

from hashlib import sha256

from lve.checkers.custom.find import checker_files, find_custom
from lve.documents.json_lines import canonical_json
from lve.errors import CheckerError
from lve.spec.model import Spec


def checkers_sum(spec: Spec) -> str:
    """Return a SHA-256 sum over the checkers of a test: names, arguments, and code of its own.

    A redacted answer keeps the verdict of the checkers with this sum: it can't be judged again.
    """
    checkers = [[config.name, config.args] for config in spec.checkers]
    said = canonical_json([checkers, spec.pass_when, spec.output_schema])
    total = sha256(said.encode("utf-8", "surrogatepass"))
    try:
        if spec.checkers and checker_files(spec):
            for config in spec.checkers:
                found = find_custom(spec, config.name)
                total.update(b"built-in" if found is None else found.source)
    except CheckerError:
        total.update(b"unreadable")
    return total.hexdigest()
