"""`lve view`: a local web page of sessions, also while they run."""
