"""Finds refusals."""
