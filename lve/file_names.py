"""Names of files and folders that users rely on.

Imports nothing, because every pytest run on a machine with lve loads this module.
"""

from __future__ import annotations

SETTINGS_FILE = "lve.yaml"
MODELS_FILE = "lve.models.json"
"""A workspace's own table of models, beside its settings."""
SETTINGS_FILES = (SETTINGS_FILE, "lve.yml")
"""File names of a workspace's settings."""
ROOT_MARKERS = (".lverepo", *SETTINGS_FILES)
"""A folder with one of these files is the root of a workspace."""
DOCUMENT_NAMES = ("test.json", "test.yaml", "test.yml")
"""File names of test documents."""
SUITE_FILE = "suite.yaml"
"""Defaults of the tests below its folder."""
SUITE_FILES = (SUITE_FILE, "suite.yml")
INSTANCE_FOLDER = "instances"
CHECKER_FOLDER = "checker"
