"""Gets completions by a provider's batch API."""
