"""A synthetic Dota 2 match, and the engine's parts that it is made of."""
