"""Holds conversations with a model: fills open turns, answers tool calls, plays the user."""
