"""Adds a checker to lve in every Python process that has this folder in PYTHONPATH."""

from lve.checkers.builtin import names as builtin

builtin.BUILTIN_CHECKERS["StallingChecker"] = "stalling_checker"
builtin.BUILTIN_CHECKERS["ImpatientChecker"] = "stalling_checker"
builtin.BUILTIN_CHECKERS["ModelChecker"] = "stalling_checker"
builtin.BUILTIN_CHECKERS["LoadingChecker"] = "stalling_checker"
builtin.BUILTIN_CHECKERS["LyingChecker"] = "stalling_checker"
