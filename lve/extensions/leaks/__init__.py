"""Checks of what an answer must not reveal: personal data, secrets, the prompt."""
