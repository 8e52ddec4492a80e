"""Compares two runs of the same tests, instance by instance."""
