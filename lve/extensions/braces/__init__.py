"""Prompts whose placeholders have two braces: `braces: double`, and Jinja files without logic."""
