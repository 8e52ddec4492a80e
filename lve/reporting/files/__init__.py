"""Reports as files, made from the folders of sessions: a writer for each suffix."""
