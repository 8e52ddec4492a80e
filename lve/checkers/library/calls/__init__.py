"""Checks of the tools that the model asked for."""
