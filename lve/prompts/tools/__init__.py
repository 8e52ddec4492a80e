"""Tools that a model may ask for, and what it gets."""
