"""Checks of an answer's text."""
