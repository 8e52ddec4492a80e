"""Custom checkers: Python code of a test, which runs in another process."""
