"""Judging answers again that were recorded."""
