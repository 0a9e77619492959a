"""Files of maps: their container, and the parts of a map that a simulation needs."""
