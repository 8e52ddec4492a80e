"""Checks that compare several answers: whether they agree, rise or fall."""
