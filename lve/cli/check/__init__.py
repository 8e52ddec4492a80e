"""`lve check`: tests are checked without running anything."""
