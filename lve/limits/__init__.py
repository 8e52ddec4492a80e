"""Limits of the work and the problems of one test, and of the time of what is awaited."""
