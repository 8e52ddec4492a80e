"""`lve run`, `lve record` and `lve score`: sessions from the command line."""
