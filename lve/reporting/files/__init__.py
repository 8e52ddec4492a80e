"""Writes reports of sessions to files: one writer per suffix."""
