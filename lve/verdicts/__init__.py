"""Turns the results of instances into the verdict of a test: tallies, statistics, summaries."""
