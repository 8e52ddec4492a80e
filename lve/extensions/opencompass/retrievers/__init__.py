"""Retrievers: they choose the examples in the prompt of a row."""
