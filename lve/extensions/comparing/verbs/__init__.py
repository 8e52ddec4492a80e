"""Verbs that compare sessions: `lve compare` and `lve compare --save`."""
