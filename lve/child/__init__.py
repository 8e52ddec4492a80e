"""Processes of our own that answer one request at a time."""
