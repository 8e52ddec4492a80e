"""What is secret, and how it is kept out of everything that is written or shown."""
