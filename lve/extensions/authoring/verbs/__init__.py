"""`lve init`, `lve new` and `lve schema`."""
