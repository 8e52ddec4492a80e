"""New tests and new workspaces: what is in their files, before anything is written."""
