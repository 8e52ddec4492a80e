"""From a long answer to the part that is judged."""
