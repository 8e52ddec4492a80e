"""The verbs `lve compare` and `lve baseline`: comparisons of sessions, baselines and revisions."""
