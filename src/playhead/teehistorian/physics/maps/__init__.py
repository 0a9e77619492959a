"""Files of maps: their container, and what a simulation needs of a map."""
