"""Turns a checker's name and arguments into a checker that is bound to its test."""
