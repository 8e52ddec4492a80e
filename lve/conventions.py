"""Names of files and folders that users rely on, and limits that every way of running shares.

Imports nothing: the pytest plugin needs some of them in every pytest run of everybody.
"""

from __future__ import annotations

SETTINGS_FILE = "lve.yaml"
ROOT_MARKERS = (".lverepo", SETTINGS_FILE)
"""What makes a folder the root of a workspace."""
DOCUMENT_NAMES = ("test.json", "test.yaml")
"""Of a test's document."""
MISSPELT_DOCUMENT = "test.yml"
INSTANCE_FOLDER = "instances"
CHECKER_FOLDER = "checker"
DEFAULT_MAX_CONNECTIONS = 64
"""Requests under way at once, per model."""
DEFAULT_MAX_TESTS = 64
"""Tests under way at once, per model."""
