"""`lve calibrate`: measures how well a check agrees with people."""
