"""The check of what an answer states, and doesn't only mention: `states`."""
