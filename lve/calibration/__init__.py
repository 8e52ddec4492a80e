"""What people say of answers, and what that says about checks: labels, calibrations, statuses."""
