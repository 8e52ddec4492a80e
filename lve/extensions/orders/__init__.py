"""Checks that numbers or scores rise or fall over a test's answers."""
