"""What a run can decide, said before anything is sent: how many rows, how likely a verdict."""
