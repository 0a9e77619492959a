"""The world and one tick of it: movement and weapons of tees, effects of tiles, shots, and entities of the map."""
