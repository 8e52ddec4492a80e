"""`lve render`: shows what a test would send to the model."""
