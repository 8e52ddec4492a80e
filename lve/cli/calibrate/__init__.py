"""`lve calibrate`: how well a check agrees with people."""
