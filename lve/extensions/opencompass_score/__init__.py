"""Scores answers as evaluators of OpenCompass and AISBench do, so that tests keep their scores."""
