"""Checks of answers in YAML, XML, CSV, code fences and SQL."""
