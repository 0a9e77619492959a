"""Units, buildings, wards, runes and bosses on the map."""
