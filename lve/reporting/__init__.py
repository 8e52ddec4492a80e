"""Showing results, for people and for programs."""
