"""Parses JSON, YAML and TOML strictly and within limits; positions, schemas, JSON lines."""
