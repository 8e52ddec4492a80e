"""`lve render`: what a test would send, without sending it."""
