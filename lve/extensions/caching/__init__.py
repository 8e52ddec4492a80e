"""The verb `lve cache`: what is in the cache of completions, and what of it is kept."""
