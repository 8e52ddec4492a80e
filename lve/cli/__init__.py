"""The `lve` command."""
