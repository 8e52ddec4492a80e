"""Renders a row of data as prompts: examples, labels, and a limit on their length."""
