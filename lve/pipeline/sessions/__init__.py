"""The folder of a session: writes its log and options, continues it, merges it with others."""
