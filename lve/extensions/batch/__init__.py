"""`lve run --batch`: completions from a provider's batch API."""
