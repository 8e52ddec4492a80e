"""Imports tasks of lm-evaluation-harness: it is run once, and what it renders becomes tests."""
