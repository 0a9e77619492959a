"""String tables in all their forms."""
