"""A folder of recordings as a database: what is in each, and where something happened."""
