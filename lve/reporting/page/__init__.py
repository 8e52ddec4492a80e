"""The HTML page of a report: its program and styles (built from web/), and what they show."""
