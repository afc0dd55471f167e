"""Code that each game is bound into: rows of games stepped together, search, networks, random play. It names no game."""
