"""The checks of the short form, a family per file."""
