"""Processes in which checkers judge."""
