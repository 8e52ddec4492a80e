"""A session on disk: its folder, journal and tests, its parts, and how it is joined and resumed."""
