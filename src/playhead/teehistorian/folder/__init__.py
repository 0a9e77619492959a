"""A folder of recordings as a database: facts of each recording, and searches."""
