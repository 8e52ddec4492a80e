"""Gets completions through a provider's batch API."""
