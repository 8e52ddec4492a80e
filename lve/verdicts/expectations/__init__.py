"""Decides expectations of rates and counts, and how many results that takes."""
