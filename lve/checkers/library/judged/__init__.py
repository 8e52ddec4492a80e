"""Checks that ask a model: a judge, a classifier, or one that makes vectors."""
