"""`lve completion`: lets a shell complete the command line of lve."""
