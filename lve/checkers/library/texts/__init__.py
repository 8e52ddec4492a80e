"""Checks of the text of an answer."""
