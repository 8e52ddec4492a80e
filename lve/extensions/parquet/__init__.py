"""Data files in Parquet, decoded in a process of their own."""
