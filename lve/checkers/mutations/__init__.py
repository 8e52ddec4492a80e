"""Changes of an answer that must not change its verdict, and which checks they are tried on."""
