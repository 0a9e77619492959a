"""Orders that the game repeats, from the columns of events."""
