"""Converts the providers of a configuration to names of models, their args and tools."""
