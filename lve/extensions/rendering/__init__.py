"""The verb `lve render`: the requests that a test would send."""
