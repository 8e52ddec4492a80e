"""The page of sessions, served on this machine while they go on."""
