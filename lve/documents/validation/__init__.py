"""Holds values to JSON Schemas, and says in words what one refuses."""
