"""`lve check`: checks tests without running anything."""
