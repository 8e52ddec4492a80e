"""Processes that judge: started, asked, and ended in time."""
