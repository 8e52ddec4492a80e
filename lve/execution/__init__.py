"""Asks models: fills conversations turn by turn, with cache, retries, limits and budget."""
