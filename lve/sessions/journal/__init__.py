"""The journal of a session, `results.jsonl`: results as lines, appended, read and replaced."""
