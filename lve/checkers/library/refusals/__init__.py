"""Whether an answer refuses."""
