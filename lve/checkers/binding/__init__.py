"""From a checker's name and arguments to a checker that is bound to its test."""
