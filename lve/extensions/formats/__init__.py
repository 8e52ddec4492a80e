"""Checks of answers in JSON (its schema, a path), YAML, XML, CSV, code fences and SQL."""
