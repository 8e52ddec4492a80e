"""A bounded subset of Python expressions, which untrusted tests may use."""
