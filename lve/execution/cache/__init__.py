"""The cache of completions: no answer is paid for twice."""
