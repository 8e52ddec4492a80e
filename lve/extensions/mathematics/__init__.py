"""The check that compares mathematical answers: formulas, tuples, sets and intervals."""
