"""Files of other people, opened and replaced safely; what git keeps of them, read without git."""
