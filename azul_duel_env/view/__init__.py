"""Pictures of games, and ways to show them: files, windows, films."""
