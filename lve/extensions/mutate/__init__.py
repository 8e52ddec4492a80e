"""Mutation tests of checks: changes of an answer that must not change its verdict."""
