"""Makes tests ready to run: their prompts, checkers, instances and tools."""
