"""The verb `lve session cache`: what is in the cache of completions, and what of it is kept."""
