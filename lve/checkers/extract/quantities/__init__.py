"""Reads quantities in a text: digits, words and Han numerals, with signs, powers and units."""
