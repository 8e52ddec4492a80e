"""What came out of a run: records, journal, instance files, session folders."""
