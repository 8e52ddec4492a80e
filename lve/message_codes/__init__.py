"""What the codes of messages mean: `catalogue.yaml` has the cause and the remedy of each."""
