"""The verb `lve session merge`: one session of the sessions of a run's shards."""
