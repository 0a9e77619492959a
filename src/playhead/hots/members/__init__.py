"""What the members of the archive say of the lobby and its people."""
