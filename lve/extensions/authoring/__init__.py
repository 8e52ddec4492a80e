"""New tests and new workspaces: what is in their files, before anything is written; the questions
about a new test; what editors know of its schema."""
