"""Opens and replaces files safely in contributed folders; finds out what git tracks there."""
