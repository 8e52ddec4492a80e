"""Asking models: turn by turn, many at once, nothing lost."""
