"""A command as a model."""
