"""The lobby and its people, from the members of the archive."""
