"""Converts the tests of other tools: importers read them, lve checks and writes test folders."""
