"""From instance results to the verdict of a test: tallies, statistics, summaries."""
