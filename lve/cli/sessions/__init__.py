"""Verbs about sessions that ran: list, show, report, score, merge, view."""
