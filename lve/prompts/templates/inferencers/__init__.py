"""The inferencers: how the rows of a test are asked."""
