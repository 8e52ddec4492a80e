"""Checks of several checks, or of several answers."""
