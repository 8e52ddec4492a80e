"""Recorded instances at a git revision, whose objects dulwich reads within limits."""
