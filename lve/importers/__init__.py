"""Turns the tests of other tools into test folders. An importer reads; lve checks and writes."""

from __future__ import annotations

from lve.importers.imported import Imported, ImportedTest

__all__ = ["Imported", "ImportedTest"]
