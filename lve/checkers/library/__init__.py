"""The checks of the short form, one family per file."""
