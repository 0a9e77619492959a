"""The game at a game loop."""
