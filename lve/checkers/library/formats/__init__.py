"""Checks of an answer's format: JSON, YAML, XML, CSV, code, SQL."""
