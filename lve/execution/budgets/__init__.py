"""What requests may cost, and what they took."""
