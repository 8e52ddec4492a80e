"""Models that have roles: judges, simulated users, embeddings, choosers of examples."""
