"""From a changed test folder to a pull request: what is asked of a test, and what git is told."""
