"""Tees on the tiles of a map: their state, the constants of movement, the server's floats and random numbers."""
