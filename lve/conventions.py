"""File and folder names that users rely on, and limits that all ways of running share.

Imports nothing, because every pytest run on a machine with lve loads this module.
"""

from __future__ import annotations

SETTINGS_FILE = "lve.yaml"
MODELS_FILE = "lve.models.json"
"""A workspace's own table of models, beside its settings."""
ROOT_MARKERS = (".lverepo", SETTINGS_FILE)
"""A folder with one of these files is the root of a workspace."""
DOCUMENT_NAMES = ("test.json", "test.yaml", "test.yml")
"""File names of test documents."""
SUITE_FILE = "suite.yaml"
"""Defaults of the tests below its folder."""
INSTANCE_FOLDER = "instances"
INSTANCES = f"{INSTANCE_FOLDER}/"
"""How the sources of rows in this folder begin: rows that are told by their args."""
CHECKER_FOLDER = "checker"
DEFAULT_MAX_CONNECTIONS = 64
"""Maximum number of concurrent requests per model."""
DEFAULT_MAX_TESTS = 64
"""Maximum number of concurrent tests per model."""
ROLE_BUDGET = "the budget of the role"
"""Start of the name of a budget that the settings give a role. Reports recognise such a budget by
it, and say where to raise it."""
STORE_VARIABLE = "LVE_STORE"
"""Environment variable with the URL of a team's store; overrides `cache` in the settings."""
RATE_PROPERTY = "decision"
"""Property of a pytest item: what its pass rate shows, as a sentence."""


def place_of_row(source: str, line: int) -> str:
    """Return the location of an instance: `instances/x.jsonl:3`, or `test.yaml row 3` for the third
    row of a data set in the test document itself."""
    return f"{source} row {line}" if source in DOCUMENT_NAMES else f"{source}:{line}"
