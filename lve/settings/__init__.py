"""What workspaces and tests set: calibration, comparison, workers, tools, files of code."""
