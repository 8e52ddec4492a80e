"""Prompts made from templates over the rows of a data set: OpenCompass and AISBench."""
