"""Checks of the model's tool calls."""
