"""The HTML page of a report: its script and styles (built from web/) and its data."""
