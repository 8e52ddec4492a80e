"""Runs on a Ray cluster (`lve[ray]`): a run hands slices of its instances to workers, each of which
has an engine of its own, and gets their results back. Imported only where a run asks for it."""
