"""Asks models: fills conversations turn by turn, within limits and budget, cached and retried."""
