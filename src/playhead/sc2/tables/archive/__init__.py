"""Tables of the archive's members and the game's cache files."""
