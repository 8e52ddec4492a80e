"""What came out: records, journals, instance files, statistics."""
