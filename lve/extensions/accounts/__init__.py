"""What a run does and why: `lve run --show-config`, `--trace FILE` and `--explain ROW`."""
