"""Verbs that look something up: lists, models, plugins and messages."""
