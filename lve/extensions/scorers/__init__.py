"""Scorers: checks by classes and functions with OpenCompass' interface, also over all rows."""
