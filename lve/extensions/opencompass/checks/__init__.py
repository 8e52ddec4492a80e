"""The checks of tests with `infer_cfg`: what a model rates, and what a judge says."""
