"""Retrievers: which examples stand in the prompt of a row."""
