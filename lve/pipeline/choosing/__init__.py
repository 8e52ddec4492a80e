"""Which tests and which of their instances run."""
