"""What GitHub Actions show of a run: annotations of test documents, the step's summary."""
