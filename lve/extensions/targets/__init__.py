"""Applications as models: an HTTP endpoint, a command, a Python function."""
