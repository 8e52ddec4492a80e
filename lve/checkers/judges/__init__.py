"""What checks share that ask a model to judge."""
