"""What a model that plays the attacker is told and says, and how it searches."""
