"""Files of a model hub: what may be fetched, and where a model's folder is."""
