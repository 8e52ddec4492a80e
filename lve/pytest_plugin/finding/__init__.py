"""Finding tests of models among the files that pytest collects."""
