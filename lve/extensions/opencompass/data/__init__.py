"""From a data set and `reader_cfg` to the rows of a test with `infer_cfg`."""
