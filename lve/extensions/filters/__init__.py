"""Steps that change an extracted text: matches of a pattern, translations, white space, case."""
