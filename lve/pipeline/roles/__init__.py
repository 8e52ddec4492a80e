"""Asks the models that have roles: judges, simulated users, embedding models, choosers of
examples."""
