"""`lve record`: runs a test and keeps its answers."""
