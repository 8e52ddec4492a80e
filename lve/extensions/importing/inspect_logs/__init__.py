"""Imports logs of Inspect as sessions, which `lve report` and `lve compare` read."""
