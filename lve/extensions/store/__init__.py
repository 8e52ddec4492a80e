"""A team's store in PostgreSQL: completions and sessions that several machines share."""
