"""Attacks that change a text: pure functions, without a model."""
