"""Reads rows of data sets and instances of tests, one at a time."""
