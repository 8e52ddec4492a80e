"""`lve cache`: looks at the cache of completions, or clears it."""
