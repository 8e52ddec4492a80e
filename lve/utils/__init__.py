"""Compatibility surface: where custom checkers of the original LVE repository look for helpers."""
