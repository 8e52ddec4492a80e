"""Runs scripts of promptfoo that judge or change answers, in the sandbox."""
