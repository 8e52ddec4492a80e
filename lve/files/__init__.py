"""Opening and replacing files safely in folders of other people; reading what git tracks there."""
