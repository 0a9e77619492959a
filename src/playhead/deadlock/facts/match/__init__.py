"""The match, its periods, and the game's own summary."""
