"""A Python function as a model."""
