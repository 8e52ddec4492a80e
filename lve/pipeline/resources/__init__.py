"""The resources that requests of a session share: budgets, rate limits, the cache, batch APIs."""
