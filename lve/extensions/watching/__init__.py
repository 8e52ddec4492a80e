"""The option `--watch` of `lve run`: tests run again when their files change."""
