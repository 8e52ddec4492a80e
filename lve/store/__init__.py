"""A team's store in PostgreSQL: where it is, the connection to it, its tables."""
