"""A session of lve inside a session of pytest, on one process or on several."""
