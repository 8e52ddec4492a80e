"""Finds the number that an answer settles on."""
