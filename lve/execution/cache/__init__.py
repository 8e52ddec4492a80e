"""The cache of completions: what was paid for once is never asked for again."""
