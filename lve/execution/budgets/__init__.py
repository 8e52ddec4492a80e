"""Budgets and costs: what requests may cost at most, and what they did cost."""
