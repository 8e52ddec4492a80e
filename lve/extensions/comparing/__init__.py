"""The verbs `lve compare` and `lve compare --save`: compares sessions, baselines, revisions."""
