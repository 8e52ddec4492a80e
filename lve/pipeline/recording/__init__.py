"""Keeping the answers of a run in the folders of its tests."""
