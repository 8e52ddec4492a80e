"""A bounded subset of Python's expressions: what a test may compute without being trusted."""
