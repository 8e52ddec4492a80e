"""What checks have in common that ask a model to judge."""
