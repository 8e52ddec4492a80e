"""From a changed test folder to a pull request: rules for tests, git, texts."""
