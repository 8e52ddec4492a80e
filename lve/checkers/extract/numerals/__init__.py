"""Numbers in texts: in digits or words, with units, and which one an answer settles on."""
