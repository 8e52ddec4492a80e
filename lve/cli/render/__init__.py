"""`lve render`: shows the requests that a test would send."""
