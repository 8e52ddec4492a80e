"""The HTTP client of the `openai` package, for `options: {client: openai}`."""
