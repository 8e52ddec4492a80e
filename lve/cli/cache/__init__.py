"""`lve cache`: shows, clears or prunes the cache of completions."""
