"""Labels of answers by people, and calibrations: how well checks agree with these labels."""
