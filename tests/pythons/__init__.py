"""`make pythons`: the wheel with every Python and every lower bound that pyproject.toml names."""
