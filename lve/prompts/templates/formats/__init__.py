"""How a prompt is written for a model: as one text, or as the messages of a chat."""
