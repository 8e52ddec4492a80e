"""`lve doctor`: checks what works on this machine, and what doesn't."""
