"""`lve site`: the tests of a repository as a static site."""
