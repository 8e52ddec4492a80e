"""What the folder of a session knows: its log and options, how to continue and merge it."""
