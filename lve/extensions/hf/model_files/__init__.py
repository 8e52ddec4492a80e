"""Finds the files of a model on this machine, and checks them before anything loads them."""
