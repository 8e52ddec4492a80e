"""File and folder names that users rely on, and limits shared by all ways of running.

Imports nothing, because every pytest run on a machine with lve loads this module.
"""

from __future__ import annotations

SETTINGS_FILE = "lve.yaml"
MODELS_FILE = "lve.models.json"
"""What a workspace knows of models, beside its settings."""
ROOT_MARKERS = (".lverepo", SETTINGS_FILE)
"""A folder with one of these files is the root of a workspace."""
DOCUMENT_NAMES = ("test.json", "test.yaml", "test.yml")
"""File names of test documents."""
SUITE_FILE = "suite.yaml"
"""Defaults of the tests below its folder."""
INSTANCE_FOLDER = "instances"
CHECKER_FOLDER = "checker"
DEFAULT_MAX_CONNECTIONS = 64
"""Most requests in flight at once, per model."""
DEFAULT_MAX_TESTS = 64
"""Most tests running at once, per model."""
OF_ROLE = "the budget of the role"
"""How the name begins of a budget that stands in the settings; reports say where to raise it."""
STORE_VARIABLE = "LVE_STORE"
"""Names a team's store; stronger than the settings' `cache`."""
RATE_PROPERTY = "decision"
"""Property of a pytest item: what its pass rate decides, in words."""


def place_of_row(source: str, line: int) -> str:
    """Return where an instance stands: `instances/x.jsonl:3`, or `test.yaml row 3` for the third
    row that is written in the test document."""
    return f"{source} row {line}" if source in DOCUMENT_NAMES else f"{source}:{line}"
