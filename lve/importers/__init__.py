"""Converts the tests of other tools: importers read them, lve checks and writes test folders."""

from __future__ import annotations

from lve.importers.imported import Imported, ImportedTest

__all__ = ["Imported", "ImportedTest"]
