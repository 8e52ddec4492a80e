"""Estimates what a run would send, cost and decide, before anything is sent."""
