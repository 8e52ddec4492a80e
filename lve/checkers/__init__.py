"""Judging what a model answered."""
