"""Learning from nothing but the rules: self-play by search, a network that learns what the search found, and again."""
