"""The state of a game at a loop: units, production, selections, players, and all of it together (`timeline`)."""
