"""The tests of a repository as a static site: pages that need no server and no network."""
