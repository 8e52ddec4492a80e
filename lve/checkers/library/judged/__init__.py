"""Checks that ask a model: a judge, a classifier, or an embedding model."""
