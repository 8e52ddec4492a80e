"""Rows of data sets and instances of tests: where they come from, read one at a time."""
