"""What reports say of parts of a session's results: rates by column and tag, and by label."""
