"""Checkers that a test brings along. They run in a process of their own."""
