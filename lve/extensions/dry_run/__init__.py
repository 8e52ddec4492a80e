"""The option `--dry-run` of `lve run`: estimated calls, tokens and cost."""
