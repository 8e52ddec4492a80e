"""Checks that combine other checks, or compare several answers."""
