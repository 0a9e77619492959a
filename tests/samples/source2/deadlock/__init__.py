"""A written match of Deadlock: twelve heroes, lanes, objectives, and a story that tests compare with tables."""
