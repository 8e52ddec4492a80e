"""Adds a checker to lve in every Python process that has this folder in PYTHONPATH."""

from lve.checkers import by_name

by_name.BUILTIN_CHECKERS["StallingChecker"] = "stalling_checker"
by_name.BUILTIN_CHECKERS["ImpatientChecker"] = "stalling_checker"
by_name.BUILTIN_CHECKERS["ModelChecker"] = "stalling_checker"
by_name.BUILTIN_CHECKERS["LoadingChecker"] = "stalling_checker"
by_name.BUILTIN_CHECKERS["LyingChecker"] = "stalling_checker"
