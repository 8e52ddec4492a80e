"""The tools that a model may call, and their results."""
