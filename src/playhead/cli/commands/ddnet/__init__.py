"""Search, race, simulate and judge recordings of DDNet servers (teehistorian)."""
