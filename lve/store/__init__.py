"""A team's store in PostgreSQL: its URL, the connection, the tables."""
