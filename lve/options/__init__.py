"""The options of a run, each declared once: its type, its range, and how it is read."""
