"""The state of a game at a loop: lives of units, selections, and all of it together."""
