"""What drawings of all games are made with: it knows no game."""
