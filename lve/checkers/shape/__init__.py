"""Says what of an answer's text is the answer. All checks that extract something read it here."""
