"""The verb `lve score`: a session's answers judged again."""
