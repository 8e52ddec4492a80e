"""Judges as the `evals` package of OpenAI does, so that its tests keep their scores."""
