"""Writes the answers of a run to the instance files of its tests (`lve record`)."""
