"""Answers tool calls while a test runs: with code of its folder."""
