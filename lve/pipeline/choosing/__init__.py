"""Chooses the tests, the instances and the models of a run."""
