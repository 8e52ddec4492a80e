"""The codes of messages. `catalogue.yaml` has the cause and the remedy of each."""
