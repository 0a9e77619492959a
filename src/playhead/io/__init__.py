"""Input and output: the only room that touches files and networks."""
