"""From a test document and parameters to messages."""
