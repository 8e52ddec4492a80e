"""Verbs for contributors: status, commit, pr, readme and unit-test."""
