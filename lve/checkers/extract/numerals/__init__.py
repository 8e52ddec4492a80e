"""Finds numbers in texts (in digits or words, with units), and the one that an answer settles
on."""
