"""JSON and YAML texts, parsed strictly and with bounds: what they build is known before."""
