"""Finds, reads and validates test documents and settings."""
