"""`lve doctor`: what works here, and what doesn't."""
