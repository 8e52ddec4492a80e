"""The verb `lve merge`: one session of the sessions of a run's shards."""
