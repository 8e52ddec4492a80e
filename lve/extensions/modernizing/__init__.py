"""The option `--modernize` of `lve check`: rewrites test documents in the short form."""
