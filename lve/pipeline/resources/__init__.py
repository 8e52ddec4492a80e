"""What the requests of a session share: budgets, rates, the cache, batches."""
