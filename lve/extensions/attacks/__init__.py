"""Attacks: a row's text disguised, encoded or framed, to see whether the model still behaves."""
