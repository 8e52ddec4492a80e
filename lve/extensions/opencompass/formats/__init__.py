"""The model's format: a prompt as one text, or as the messages of a chat."""
