"""The checkers that ship with lve."""
