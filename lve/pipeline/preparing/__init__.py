"""Making tests ready: their prompts, checkers, instances and tools."""
