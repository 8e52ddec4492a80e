"""Runs another tool once, in an environment of its own and in a sandbox, and keeps what it says."""
