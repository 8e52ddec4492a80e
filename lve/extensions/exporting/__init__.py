"""Exports: lve's tests and results in the formats of others."""
