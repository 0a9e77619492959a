"""The members of the archive that all games have, decoded."""
