"""The inferencers: which requests a model gets for a row."""
