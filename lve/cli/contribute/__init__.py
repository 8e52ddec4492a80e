"""Verbs for contributors: status, commit, pr and readme."""
