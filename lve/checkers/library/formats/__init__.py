"""Checks of the form of an answer: JSON, YAML, XML, CSV, code, SQL."""
