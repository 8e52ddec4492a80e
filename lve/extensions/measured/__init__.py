"""Checks of what was measured of an answer: time, tokens, cost, log-probabilities."""
