"""Search, race, simulate and judge DDNet recordings."""
