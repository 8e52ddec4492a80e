"""Verbs that look something up: `lve models`, `lve plugins` and `lve explain`."""
