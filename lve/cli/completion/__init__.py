"""`lve completion`: what a shell may complete."""
