"""An HTTP endpoint as a model."""
