"""`lve record`: the answers of a run in the instance files of its tests."""
