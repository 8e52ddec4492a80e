"""Judges recorded answers again: `lve score`, `lve calibrate`, examples of `lve check`."""
