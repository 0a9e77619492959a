"""The state of the players over time."""
