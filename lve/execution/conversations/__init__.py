"""Holding a conversation: its open turns, its tools, its simulated user."""
