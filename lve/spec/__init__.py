"""Test documents: reading, validating, finding them."""
