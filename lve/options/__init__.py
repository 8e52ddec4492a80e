"""One option, wherever it is given: its type, its range, and how it is read."""
