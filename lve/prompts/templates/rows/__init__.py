"""From a row of data to its prompts: examples, labels, and what fits into the model."""
