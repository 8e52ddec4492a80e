"""Finds the part of an answer that is judged."""
