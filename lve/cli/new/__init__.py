"""`lve new`: asks what a new test is, and writes it."""
