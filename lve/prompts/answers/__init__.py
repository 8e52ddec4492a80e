"""Answers that have to be JSON: found, held against a schema, asked for once more."""
