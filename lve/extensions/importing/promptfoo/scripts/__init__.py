"""Translates short assertions of programs to lambdas: `output.length < 500`."""
