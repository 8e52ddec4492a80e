"""Answers that have to be JSON: finding it, validating it, asking for a correction."""
