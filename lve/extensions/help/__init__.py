"""Help on the command line: `lve help`, the options of `lve run` in groups, and what was meant."""
