"""Runs one row of a test against a model, and judges it."""
