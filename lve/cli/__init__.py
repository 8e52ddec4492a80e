"""The `lve` command: a module per verb, and what verbs share."""
