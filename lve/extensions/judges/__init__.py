"""Checks that ask a model: a judge, or an embedding model."""
