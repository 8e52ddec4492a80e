"""Prompts that are lists of messages: the LVE repository's own dialect."""
