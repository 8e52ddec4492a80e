"""Caches completions, so that no answer is paid for twice."""
