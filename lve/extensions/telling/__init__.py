"""`--json` for verbs that do something and say what they did."""
